// From errno to the reasons of the protocol.
#pragma once

int failure_reason(int error);

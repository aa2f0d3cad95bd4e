// The guest's DNS server. The host says which names there are; addresses for them are handed out here.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct question;

void dns_open(void);
void dns_start(void);
void dns_resume(void);
bool dns_is_own_socket(ino_t inode);

// The host's answer, or its refusal to give one.
void dns_resolved(struct question *question, int verdict);
void dns_closed(struct question *question);

int dns_timeout(void);
void dns_tick(void);

// After a restore: connections end, and what is open is asked again.
void dns_forget(void);
void dns_ask_again(void);

package dev.atoll.agents;

/** What holds for every task of an agent. */
record AgentConfig(String instructions, Budget budget, Patience patience) {}

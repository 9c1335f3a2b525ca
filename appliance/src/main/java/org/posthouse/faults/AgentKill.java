package org.posthouse.faults;

/**
 * A kill of an agent that was carried out, and what was done at once: it was started again, as a new one.
 *
 * @param agent the node's name
 * @param atNs how long after the job's start
 * @param ranks processes of ranks that it had
 * @param servesNs from the kill until its next process had reached the relay
 */
public record AgentKill(String agent, long atNs, int ranks, long servesNs) {}

package org.posthouse.faults;

/**
 * A kill of a relay that was carried out, and what was done at once: it was started again.
 *
 * @param relay what it is called
 * @param atNs how long after the job's start
 * @param servesNs from the kill until its next process served: the JVM's start, and its log
 */
public record RelayKill(String relay, long atNs, long servesNs) {}

package org.posthouse.core;

/**
 * Where a rank stands in its history. Immutable.
 *
 * @param pin position of the oldest record that it needs to go on from here
 * @param deliveries that it has got
 * @param events that it has told
 * @param polls that have failed
 * @param out bytes that its processes have printed to their standard output
 * @param err the same of their standard error
 * @param waits the message whose arrival that record is, as no receive has got it; empty if none waits
 */
public record RecoveryPoint(long pin, long deliveries, long events, long polls, long out, long err, String waits) {}

package org.posthouse.core;

/**
 * A rank's position in its history. Immutable.
 *
 * @param pin position of the oldest record that it needs to continue from here
 * @param deliveries number of deliveries that it has received
 * @param events number of events that it has reported
 * @param polls number of failed polls
 * @param out bytes that its processes have printed to their standard output
 * @param err the same of their standard error
 * @param waits the message whose arrival that record is, as no receive has got it; empty if none waits
 */
public record RecoveryPoint(long pin, long deliveries, long events, long polls, long out, long err, String waits) {}

package org.posthouse.launch.provision;

/**
 * Event: a host of a grant has no agent any more, or never had one.
 *
 * @param grant the grant's number
 * @param host as the request's grant names it
 * @param status the exit status of what brought the agent; 128 + n after signal n
 * @param lastLine the last line that it printed; empty if there was none
 * @param text all this in one line, for people
 * @param isReplaced whether the scheduler brings another agent in its place
 */
public record HostLost(long grant, String host, int status, String lastLine, String text, boolean isReplaced) {}

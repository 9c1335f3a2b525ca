package org.posthouse.core;

/**
 * What a core knows of a process that follows a rank.
 *
 * @param incarnation its number among all processes of the rank
 * @param behind deliveries and events of the rank's history that it was not sent yet
 * @param position log position up to which it was sent all of the history; -1 if nothing was read yet
 */
public record FollowerState(int incarnation, long behind, long position) {}

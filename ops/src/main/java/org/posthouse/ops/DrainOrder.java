package org.posthouse.ops;

/**
 * The order that other relays' lanes leave a relay, or may go through it again.
 *
 * @param drain whether they are to leave
 */
public record DrainOrder(Boolean drain) {}

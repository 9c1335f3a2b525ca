package org.posthouse.mpj.operation;

/** The point at which a send is complete. */
public enum SendMode {
    /** The program's buffer may be used again: for a small message, at once. */
    STANDARD,
    /** The message is also matched to a receive, however small it is. */
    SYNCHRONOUS
}

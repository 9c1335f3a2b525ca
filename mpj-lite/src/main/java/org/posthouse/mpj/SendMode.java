package org.posthouse.mpj;

/** When a send is complete. */
public enum SendMode {
    /** When the program's buffer may be used again: for a small message, at once. */
    STANDARD,
    /** When the message was matched to a receive as well, however small it is. */
    SYNCHRONOUS
}

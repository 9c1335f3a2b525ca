package org.posthouse.tunnel;

/** Whether links pack the bulk that they carry. */
public enum Compression {
    /** Bulk is packed while measurements show that it pays. */
    AUTO,
    /** No bulk is packed, and other relays are told to send none packed. */
    NEVER,
    /** Bulk is packed wherever it becomes shorter. */
    ALWAYS
}

package org.posthouse.tunnel;

/** Whether links pack the bulk that they carry. */
public enum Compression {
    /** What is sent goes packed while that pays, by what was measured. */
    AUTO,
    /** Nothing is sent packed, and the other ends are told to send nothing packed either. */
    NEVER,
    /** What is sent goes packed wherever it becomes shorter. */
    ALWAYS
}

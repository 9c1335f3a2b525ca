package org.posthouse.launch.folder;

import java.io.IOException;

/** Takes the job's standard input for one process. Called by one thread at a time. */
public interface InputSink {
    /**
     * Bytes of the input that the process has already: the next write continues there. Blocks until that is known.
     *
     * @throws IOException if the process has ended
     */
    long position() throws IOException;

    /**
     * Gives the next bytes to the process. Blocks while it does not read.
     *
     * @param piece its first {@code count} bytes; none: the input ends here
     * @throws IOException if the process has ended, or reads no more
     */
    void write(byte[] piece, int count) throws IOException;
}

package org.posthouse.launch.output;

import java.util.Optional;

/**
 * The newest lines that each rank of a job has printed and that its relay was not told yet. Thread-safe: pumps add, one
 * thread takes. What does not fit is left out and counted, so nobody ever waits.
 *
 * <p>Bound: {@value #JOB_BYTES_MAX} bytes, of a stream {@value #STREAM_BYTES_MAX}, and twice that while they are shifted;
 * with more than 8,192 ranks {@value #STREAM_BYTES_MIN} a stream.
 */
public final class OutputTail {
    static final int STREAM_BYTES_MAX = 16 * 1024;
    static final int STREAM_BYTES_MIN = 1024;
    private static final int JOB_BYTES_MAX = 16 * 1024 * 1024;

    private final StreamTail[] out;
    private final StreamTail[] err;

    /**
     * Lines of one stream of one rank.
     *
     * @param isErr whether of standard error
     * @param skipped lines that were left out before
     * @param text whole lines, each with its newline
     */
    public record Part(boolean isErr, long skipped, String text) {}

    public OutputTail(int ranks) {
        int bytes = Math.clamp(JOB_BYTES_MAX / (2L * ranks), STREAM_BYTES_MIN, STREAM_BYTES_MAX);
        out = new StreamTail[ranks];
        err = new StreamTail[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            out[rank] = new StreamTail(bytes);
            err[rank] = new StreamTail(bytes);
        }
    }

    StreamTail of(int rank, boolean isErr) {
        return isErr ? err[rank] : out[rank];
    }

    /** Takes the lines that one stream of a rank has printed since the last call; empty if none is complete. */
    public Optional<Part> take(int rank, boolean isErr) {
        return of(rank, isErr).take().map(lines -> new Part(isErr, lines.skipped(), lines.text()));
    }
}

package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * What a launcher tells the home relay of one of its ranks, for the console. The relay may discard it, and sends no answer.
 *
 * @param job the job's id
 * @param kind {@link #NODE}, {@link #OUT}, {@link #ERR}, {@link #RESTART} or {@link #FOLLOWER}
 * @param rank world rank
 * @param number of OUT and ERR: lines of the rank's output, left out before the text; of FOLLOWER: the process's number; else 0
 * @param text of NODE: the name of the node that runs the rank, empty if it runs beside its launcher; of FOLLOWER:
 *     the same of a process that follows the rank; of OUT and ERR: lines, each with its newline; of RESTART: one line for people
 */
public record JobReport(long job, int kind, int rank, long number, String text) {
    /** The node that runs the rank. */
    public static final int NODE = 1;

    /** Lines that the rank has printed to its standard output. */
    public static final int OUT = 2;

    /** The same of its standard error. */
    public static final int ERR = 3;

    /** A new process of the rank has caught up. */
    public static final int RESTART = 4;

    /** The node that runs a process that follows the rank. Only of jobs that have such. */
    public static final int FOLLOWER = 5;

    /** Longest text in bytes of UTF-8; a longer one is cut. */
    public static final int TEXT_BYTES_MAX = 32 * 1024;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOB_REPORT, job).i32(kind).i32(rank).i64(number).text(text, TEXT_BYTES_MAX).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static JobReport decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        JobReport report = new JobReport(
                new FrameView().wrap(frame, frame.position()).job(),
                in.i32("kind", NODE, FOLLOWER),
                in.i32("rank", 0, Integer.MAX_VALUE),
                in.i64("number", 0, Long.MAX_VALUE),
                in.text("text"));
        in.end();
        boolean hasNumber = report.kind == OUT || report.kind == ERR || report.kind == FOLLOWER;
        if (!hasNumber && report.number != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "JOB_REPORT of kind " + report.kind + " with the number " + report.number + ", expected 0");
        }
        return report;
    }
}

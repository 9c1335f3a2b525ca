package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A notice about a rank's checkpoints (docs/wire.md, checkpoints).
 *
 * @param job the job's id
 * @param kind the kind of notice
 * @param failedPolls of the rank since its start, the low 32 bits
 * @param number of the image; 0 if there is none yet
 * @param bytes {@link Kind#SAVE} and {@link Kind#JUMP}: of the whole image; {@link Kind#MORE}: the bound up to which it
 * may be sent
 * @param events of the rank's history so far
 * @param out {@link Kind#READY} and {@link Kind#SAVE}: bytes that the rank has printed to its standard output, over all
 * its processes
 * @param err the same of its standard error
 * @param processOut {@link Kind#READY} and {@link Kind#SAVE}: bytes that this process has printed to its standard
 * output
 * @param processErr the same of its standard error
 */
public record CheckpointNotice(
        long job, Kind kind, int failedPolls, long number, long bytes, long events, long out, long err, long processOut, long processErr) {
    /** The kinds of notices. */
    public enum Kind {
        /**
         * From a rank: it has asked whether it is restored, and is not. From a relay, in the history: the rank asked
         * then, and was not.
         */
        READY(1),
        /** From a rank: an image of this many bytes follows. */
        SAVE(2),
        /** From a relay: the rank's history continues at a checkpoint, whose image follows. */
        JUMP(3),
        /** From a relay: it asks for a checkpoint. */
        ASK(4),
        /** From a relay: the image is stored. */
        SAVED(5),
        /** From a relay: the image could not be stored. */
        FAILED(6),
        /** From a relay: more of the image may be sent. */
        MORE(7);

        private static final Kind[] BY_CODE = values();

        private final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    /** A relay's notice that needs no other numbers. */
    public static CheckpointNotice of(long job, Kind kind, long number, long bytes) {
        return new CheckpointNotice(job, kind, 0, number, bytes, 0, 0, 0, 0, 0);
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.POINT, job, FrameType.POINT.bytesMax())
                .i32(kind.code)
                .i32(failedPolls)
                .i64(number)
                .i64(bytes)
                .i64(events)
                .i64(out)
                .i64(err)
                .i64(processOut)
                .i64(processErr)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static CheckpointNotice decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int code = in.i32("kind");
        if (code < 1 || code > Kind.BY_CODE.length) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "POINT of kind " + code + ", expected 1 to " + Kind.BY_CODE.length);
        }
        CheckpointNotice checkpointNotice = new CheckpointNotice(
                new FrameView().wrap(frame, frame.position()).job(),
                Kind.BY_CODE[code - 1],
                in.i32("failed polls"),
                in.i64("number"),
                in.i64("bytes"),
                in.i64("events"),
                in.i64("bytes printed"),
                in.i64("bytes printed"),
                in.i64("bytes printed"),
                in.i64("bytes printed"));
        if ((checkpointNotice.number | checkpointNotice.bytes | checkpointNotice.events | checkpointNotice.out | checkpointNotice.err
                | checkpointNotice.processOut | checkpointNotice.processErr) < 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, checkpointNotice + " with a count below zero");
        }
        return checkpointNotice;
    }
}

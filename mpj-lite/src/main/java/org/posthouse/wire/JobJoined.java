package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A relay's answer to {@link JobJoin}.
 *
 * @param job the job of the rank that has asked
 * @param joint the joint job's id
 * @param sealed the token of the rank in the joint job, encrypted for it ({@link #seal}); {@link Token#NONE} if it was refused
 * @param refusal why it may not take part; empty if it may
 */
public record JobJoined(long job, long joint, Token sealed, String refusal) {
    private static final int TEXT_BYTES_MAX = 4_096;

    /**
     * Encrypts a rank's token in a joint job, or decrypts it. The pad is of one use: no other token is ever sealed for this rank and
     * joint job by one process of the relay.
     *
     * @param own the token of the same process in its own job
     * @param joint the joint job
     */
    public static Token seal(Token token, Token own, long joint) {
        Token pad = Hmac.of(own, "posthouse joint", ByteBuffer.allocate(Long.BYTES).putLong(0, joint)).token();
        return new Token(token.high() ^ pad.high(), token.low() ^ pad.low());
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOB_JOINED, job).i64(joint).token(sealed).text(refusal, TEXT_BYTES_MAX).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static JobJoined decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        JobJoined joined = new JobJoined(
                new FrameView().wrap(frame, frame.position()).job(), in.i64("joint job"), in.token("token"), in.text("refusal"));
        in.end();
        return joined;
    }
}

package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;
import org.posthouse.wire.WireException;

/** A frame about failures in words. */
final class FailureText {
    private FailureText() {}

    static String of(ByteBuffer frame) {
        try {
            return switch (FrameType.of(frame.get(frame.position() + Integer.BYTES))) {
                case RANK_FAILED -> "failed " + RankFailed.decode(frame).rank() + " incarnation " + RankFailed.decode(frame).incarnation();
                case REVOKE -> "revoke context " + Revocation.decode(frame).context() + " of " + Revocation.decode(frame).members();
                case AGREE -> "agree " + Agree.decode(frame).number() + " from rank " + Agree.decode(frame).rank();
                default -> {
                    Agreed agreed = Agreed.decode(frame);
                    if (agreed.kind() == Agree.Kind.REBUILD) {
                        yield "rebuilt " + agreed.members() + (agreed.communicator() > 0 ? " communicator " + agreed.communicator() : " in vain");
                    }
                    yield "agreed " + agreed.number() + " flags " + agreed.flags() + " failed " + agreed.failed()
                            + (agreed.unacknowledged() ? " unacknowledged" : "") + (agreed.communicator() > 0 ? " communicator " + agreed.communicator() : "");
                }
            };
        } catch (WireException e) {
            throw new AssertionError(e);
        }
    }
}

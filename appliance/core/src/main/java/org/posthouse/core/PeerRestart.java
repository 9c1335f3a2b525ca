package org.posthouse.core;

import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * Handles the restart of another relay on its log (docs/architecture.md, how a relay comes back). Earlier credit is
 * settled on both sides. Frames that the relay may not have got are sent again, or it is asked for them. Part of {@link
 * RelayCore}.
 */
final class PeerRestart {
    private final Job job;
    private final ForwardCount forwardCount;
    private final Peer peer;

    PeerRestart(Job job, ForwardCount forwardCount) {
        this.job = job;
        this.forwardCount = forwardCount;
        this.peer = forwardCount.peer();
    }

    /** Messages of the peer's ranks owe nothing: their relay does not know any more what they have paid. */
    void forgive() {
        for (HomedRank to : job.homedRanks()) {
            to.incoming().forEach(this::forgive);
            to.mailbox().forEachUnexpected(this::forgive);
        }
        for (int rank = 0; rank < job.size(); rank++) {
            if (job.peer(rank) == peer) {
                job.takeOwedBytes(rank);
                job.takeOwedMessages(rank);
                job.stalls().forget(rank);
                job.blocked().forget(rank);
            }
        }
    }

    private void forgive(Message message) {
        if (job.peer(message.source()) == peer) {
            message.forgive();
        }
    }

    /** The peer gives nothing back for what it has handled: the ranks of this core have that credit again. */
    void returnCredit(List<Frame> unacknowledged) {
        for (HomedRank rank : job.homedRanks()) {
            long bytes = 0;
            int messages = 0;
            for (Frame frame : unacknowledged) {
                FrameView view = frame.view();
                if (view.job() == job.id() && view.source() == rank.rank() && costs(view)) {
                    bytes += Wire.cost(view.messageBytes());
                    messages++;
                }
            }
            UsedCredit.Back back = rank.sends().credit().settle(forwardCount, bytes, messages);
            if (back.messages() > 0) {
                rank.sends().returnCredit(back.bytes(), back.messages(), forwardCount);
            }
        }
    }

    private static boolean costs(FrameView view) {
        return view.type() == FrameType.SEND || view.type() == FrameType.EAGER;
    }

    boolean isAbout(Frame frame) {
        return frame.view().job() == job.id();
    }

    /** Passes a frame on again, if its message continues with it. */
    void repeat(Frame frame) {
        FrameView view = frame.view();
        switch (view.type()) {
            case SEND, EAGER, OFFER -> {
                view.flags(view.flags() | FrameView.AGAIN);
                pass(frame);
            }
            case CHUNK, RESENT -> pass(frame);
            default -> {
                // Credit is settled; clears and withdrawals are requested again.
            }
        }
    }

    private void pass(Frame frame) {
        if (!forwardCount.pass(frame.hold())) {
            job.fail(CloseReason.SITE_UNREACHABLE, "no way to " + peer);
        }
    }

    /** Asks for the answers that may be lost: how far offers may be sent, and whether they were taken back. Tells of failures again. */
    void askAgain() {
        FailureFrames.tellAgain(job, peer);
        for (HomedRank rank : job.homedRanks()) {
            rank.safety().passedAnew(forwardCount);
            rank.outgoing().forEachUncleared((transferId, bytes) -> {
                if (job.peer(transferId.peer()) == peer) {
                    peer.offerAgain(
                            job.id(), transferId.context(), rank.rank(), transferId.peer(), transferId.sequence(), bytes);
                }
            });
            rank.outgoing().forEachWithdrawing(transferId -> withdraw(rank, transferId));
            rank.repeats().questions().forEach(transferId -> withdraw(rank, transferId));
        }
    }

    private void withdraw(HomedRank rank, TransferId transferId) {
        if (job.peer(transferId.peer()) == peer) {
            peer.withdraw(job.id(), transferId.context(), rank.rank(), transferId.peer(), transferId.sequence());
        }
    }
}

package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.posthouse.tunnel.Links;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another relay, at the far end of a link: which shard sent each frame that it has not acknowledged, and what becomes of them
 * when it was restarted. Confined to the relay's control strand, but for what {@link RelayPeer} calls.
 */
final class OtherRelay {
    private static final Logger LOG = LoggerFactory.getLogger(OtherRelay.class);

    /** What was sent is held there if none of it is acknowledged for so long while the link is up. */
    static final long HELD_NS = TimeUnit.SECONDS.toNanos(60);

    /** Each has at most 1,068 bytes. */
    private static final int DIAGNOSES_MAX = 1_024;

    /**
     * Answers that it has not acknowledged, as many as a rank may have offers: some 300 bytes each; from there on it may ask again for as many. Nothing else bounds
     * what it asks for again: what it asks for the first time its credit does, and that may be more, while a job that stands still there holds the link.
     *
     * <p>An honest one asks for so many twice before it has acknowledged the first only if several of its ranks are started again at once, as none has so many
     * offers: 131,073 frames, at 500,000 a second, take longer than a round trip of 0.25 s. But where a job holds the link nothing is acknowledged, and the
     * 65,537th message that ranks of others take back, or offer again, behind so many answers keeps the link down until that job has ended.
     */
    static final int ANSWERS_MAX = 64 * 1_024;

    private final String id;
    private final Strand control;
    /** Null if this relay has no links. */
    private final Links links;

    private final LinkFlow flow = new LinkFlow();
    private final List<Side> sides = new ArrayList<>();

    /** Who sent each frame that is not acknowledged, in the order of the link. */
    private final ArrayDeque<Sender> senders = new ArrayDeque<>();

    /** Frames that the other relay has acknowledged since this one began. */
    private long acknowledged;

    /** When it has acknowledged something last, or had nothing to acknowledge, or the link came up. */
    private long movedNs;

    /** What is held since then, in words; empty if nothing is, as far as was looked. */
    private String held = "";

    /** Of those that it has not, CLEARs and WITHDRAWNs. */
    private int answers;

    /** How often it has asked for one again since there are {@link #ANSWERS_MAX} of them. */
    private int askedBeyond;

    /** What is to be said of blocked ranks, in order: bounded by {@link #DIAGNOSES_MAX}. */
    private final ArrayDeque<Diagnosis> diagnoses = new ArrayDeque<>();

    /** Its link was let go of: jobs that are over may have something to say yet. */
    private boolean left;

    /** A frame that must not overtake what was sent before it, and how many frames that are in all. */
    private record Diagnosis(Side side, ByteBuf frame, long behind) {}

    /** A shard's frames of one kind. */
    private static final class Sender {
        private final Side side;

        /** Those that the other relay has acknowledged since this one began, and how many of them the core knows of. */
        private long acknowledged;

        private long told;

        private Sender(Side side) {
            this.side = side;
        }
    }

    /** One shard's part in it. */
    private static final class Side {
        private final RelayPeer peer;

        /** Frames that its ranks keep until they are acknowledged; and those of them that pass the gate, where others overtake them. */
        private final Sender kept = new Sender(this);

        private final Sender keptAndGated = new Sender(this);
        private final Sender answers = new Sender(this);
        private final Sender others = new Sender(this);

        /** While the other relay's restart is being arranged: what was sent and not acknowledged, in order; else null. */
        private List<ByteBuf> late;

        /** What the restarted relay sends before the core knows of it; null unless that is being arranged. */
        private List<Runnable> early;

        private Side(RelayPeer peer) {
            this.peer = peer;
        }
    }

    OtherRelay(String id, List<Shard> shards, Strand control, Links links) {
        this.id = id;
        this.control = control;
        this.links = links;
        shards.forEach(shard -> sides.add(new Side(new RelayPeer(this, shard))));
    }

    String id() {
        return id;
    }

    LinkFlow flow() {
        return flow;
    }

    /** How a shard sees it. Thread-safe. */
    RelayPeer peer(Shard shard) {
        return sides.get(shard.number()).peer;
    }

    // ---- what shards call, in their strands

    boolean isReachable() {
        return links != null;
    }

    /**
     * @param kept whether the frame's rank keeps it until the other relay has handled it
     * @param gated whether it has passed the gate
     */
    void send(RelayPeer from, ByteBuf frame, boolean kept, boolean gated) {
        Side side = sides.get(from.shard().number());
        Sender sender = kept ? gated ? side.keptAndGated : side.kept : isAnswer(frame) ? side.answers : side.others;
        control.submit(() -> send(sender, frame));
    }

    private static boolean isAnswer(ByteBuf frame) {
        FrameType type = FrameType.of(frame.getByte(frame.readerIndex() + Integer.BYTES));
        return type == FrameType.CLEAR || type == FrameType.WITHDRAWN;
    }

    /**
     * Sends what is said of blocked ranks, when all that was sent before it has been handled: a link lets short frames overtake long ones, and
     * this one says that nothing more will come. It is said again anyway, so a link that is full or cut drops it.
     */
    void diagnose(RelayPeer from, ByteBuf frame) {
        Side side = sides.get(from.shard().number());
        control.submit(() -> {
            if (!left && diagnoses.size() < DIAGNOSES_MAX && links.isUp(id)) {
                diagnoses.add(new Diagnosis(side, frame, acknowledged + senders.size()));
                sendDiagnoses();
            } else {
                frame.release();
            }
        });
    }

    private void sendDiagnoses() {
        while (!diagnoses.isEmpty() && diagnoses.element().behind <= acknowledged) {
            Diagnosis next = diagnoses.remove();
            if (next.side.late == null && links.isUp(id) && links.writable(id)) {
                send(next.side.others, next.frame);
            } else {
                next.frame.release();
            }
        }
    }

    /** Of a link that was let go of only what a dead relay had sent is not handled by then, and the next link has the same numbers. */
    void handled(List<Long> numbers) {
        control.submit(() -> {
            if (!left) {
                numbers.forEach(number -> links.handled(id, number));
            }
        });
    }

    // ---- the link

    private void send(Sender sender, ByteBuf frame) {
        if (sender.side.late != null) {
            sender.side.late.add(frame);
            return;
        }
        if (left) {
            frame.release();
            return;
        }
        flow.out(frame);
        if (LongChunk.is(frame) && !links.carriesLong(id)) {
            LongChunk.cut(frame).forEach(piece -> handOver(sender, piece));
        } else {
            handOver(sender, frame);
        }
    }

    private void handOver(Sender sender, ByteBuf frame) {
        if (links.send(id, frame)) {
            movedNs = senders.isEmpty() ? System.nanoTime() : movedNs;
            senders.add(sender);
            answers += sender == sender.side.answers ? 1 : 0;
        }
    }

    /** Checks whether a frame may come that asks for an answer. @throws WireException if the other relay acknowledges none */
    void requireAnswersRead(FrameView view) throws WireException {
        boolean asks = view.type() == FrameType.WITHDRAW || view.type() == FrameType.OFFER && (view.flags() & FrameView.AGAIN) != 0;
        if (asks && answers >= ANSWERS_MAX && ++askedBeyond > ANSWERS_MAX) {
            throw new WireException(CloseReason.LIMIT,
                    view.type() + " from relay " + id + ", which has not acknowledged " + answers + " answers, the most that may wait");
        }
    }

    /**
     * Which job holds all that was sent, in words: the other relay cannot handle the first frame, for want of room in its log or as the job stands still there.
     *
     * @param nowNs as {@link System#nanoTime} has it
     * @return empty if none does
     */
    String held(long nowNs, LongFunction<String> jobName) {
        if (senders.isEmpty() || nowNs - movedNs < HELD_NS) {
            return "";
        }
        List<ByteBuf> frames = new ArrayList<>();
        if (held.isEmpty()) {
            links.forEachUnacknowledged(id, frames::add);
        }
        if (!frames.isEmpty()) {
            held = "relay " + id + " acknowledges nothing since " + Instant.now().minusNanos(nowNs - movedNs).truncatedTo(ChronoUnit.SECONDS)
                    + ": the first frame is of "
                    + jobName.apply(Cut.job(frames.getFirst())) + ", and past the link's window all that is to go there waits; its status says why";
            LOG.warn("{}", held);
        }
        return held;
    }

    /**
     * A frame for a rank of this shard has come.
     *
     * @return whether it was handled
     */
    boolean take(Shard shard, long number, ArrivedFrame arrived, ByteBuf buffer, int index, int length, FrameView view) {
        Side side = sides.get(shard.number());
        if (side.early == null) {
            return shard.fromLink(side.peer, number, arrived, buffer, index, length, view);
        }
        ByteBuf kept = BufferParcel.keep(buffer, index, length);
        side.early.add(() -> shard.heldFromLink(side.peer, number, kept));
        return false;
    }

    /** The other relay has handled so many frames more. */
    void onAcknowledged(long frames) {
        for (long left = frames; left > 0; left--) {
            Sender sender = senders.remove();
            sender.acknowledged++;
            answers -= sender == sender.side.answers ? 1 : 0;
        }
        acknowledged += frames;
        askedBeyond = answers < ANSWERS_MAX ? 0 : askedBeyond;
        moved();
        sendDiagnoses();
        for (Side side : sides) {
            tell(side.kept, false);
            tell(side.keptAndGated, true);
        }
    }

    void onUp() {
        moved();
    }

    private void moved() {
        movedNs = System.nanoTime();
        held = "";
    }

    private static void tell(Sender kept, boolean survivesHost) {
        if (kept.acknowledged > kept.told) {
            kept.told = kept.acknowledged;
            kept.side.peer.tellAcknowledged(survivesHost, kept.told);
        }
    }

    /**
     * The other relay was restarted. Each shard first holds what it sends there; when that is so, everything that it had sent
     * before is here; then its core decides what is sent again. Where that is under way, as it was restarted before, the one round does for both.
     *
     * @param frames what was sent and not acknowledged, in order
     */
    void onRestarted(List<ByteBuf> frames) {
        List<Side> untold = sides.stream().filter(side -> side.late == null).toList();
        for (Side side : untold) {
            side.late = new ArrayList<>();
            side.early = new ArrayList<>();
        }
        frames.forEach(frame -> senders.remove().side.late.add(frame));
        moved();
        answers = 0;
        askedBeyond = 0;
        diagnoses.forEach(diagnosis -> diagnosis.frame.release());
        diagnoses.clear();
        for (Side side : untold) {
            side.peer.shard().strand().submit(() -> {
                side.peer.hold();
                control.submit(() -> gathered(side));
            });
        }
    }

    /** The link was let go of, and no open job needs the other relay: shards lose what it has not handled, as if it was restarted, and then forget it. */
    void onLetGo(List<ByteBuf> frames) {
        left = true;
        onRestarted(frames);
    }

    private void gathered(Side side) {
        List<ByteBuf> before = side.late;
        List<Runnable> early = side.early;
        side.late = null;
        side.early = null;
        boolean isLast = left;
        side.peer.shard().strand().submit(() -> {
            side.peer.restarted(before);
            if (isLast) {
                side.peer.shard().core().forget(side.peer);
            }
        });
        early.forEach(Runnable::run);
    }
}

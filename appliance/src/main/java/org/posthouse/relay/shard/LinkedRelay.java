package org.posthouse.relay.shard;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.relay.threads.Strand;
import org.posthouse.tunnel.Links;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Another relay, at the far end of a link. Records which shard sent each unacknowledged frame, and arranges what is
 * sent again after that relay's restart. Confined to the relay's control strand, except the methods that
 * {@link RelayPeer} calls.
 */
public final class LinkedRelay {
    private static final Logger LOG = LoggerFactory.getLogger(LinkedRelay.class);

    /**
     * Nanoseconds without an acknowledgement, while the link is up, after which the sent frames count as held at the
     * other relay.
     */
    static final long HELD_NS = TimeUnit.SECONDS.toNanos(60);

    /** Limit of waiting reports of blocked ranks; each has at most 1,068 bytes. */
    private static final int DIAGNOSES_MAX = 1_024;

    /**
     * Limit of unacknowledged answers (CLEAR, WITHDRAWN): as many as a rank may have offers, some 300 bytes each.
     * Beyond it the other relay may request as many answers again. This limits only repeated requests; first requests
     * are limited by credit. There may be more of those, while a job that stands still there holds the link.
     *
     * <p>An honest relay repeats so many requests, before it has acknowledged the first, only if several of its ranks
     * restart at once. No single rank has so many offers. 131,073 frames, at 500,000 a second, take longer than a round
     * trip of 0.25 s.
     *
     * <p>Where a job holds the link, nothing is acknowledged. The 65,537th message that ranks of others withdraw, or
     * offer again, behind so many answers then keeps the link down until that job has ended.
     */
    static final int ANSWERS_MAX = 64 * 1_024;

    private final String id;
    private final Strand control;
    /** Null if this relay has no links. */
    private final Links links;

    /** Receives each frame to the other relay before there was a link with it; the frame stays the caller's. */
    private final Consumer<ByteBuf> unmetUse;

    /** Whether there was a link with the other relay, since this relay started or last let go of it. */
    private boolean met;

    private final LinkFlow flow = new LinkFlow();
    private final List<Side> sides = new ArrayList<>();

    /** The sender of each unacknowledged frame, in the order of the link. */
    private final ArrayDeque<Sender> senders = new ArrayDeque<>();

    /** Number of frames that the other relay has acknowledged since this relay started. */
    private long acknowledged;

    /** When the other relay last acknowledged a frame or had none to acknowledge, or when the link came up. */
    private long movedNs;

    /** Description of the frames held since then; empty if none are held, as of the last check. */
    private String held = "";

    /** Number of unacknowledged CLEAR and WITHDRAWN frames. */
    private int answers;

    /** Number of repeated requests since there are {@link #ANSWERS_MAX} unacknowledged answers. */
    private int askedBeyond;

    /** Reports of blocked ranks to send, in order; at most {@link #DIAGNOSES_MAX}. */
    private final ArrayDeque<Diagnosis> diagnoses = new ArrayDeque<>();

    /** Whether the link was released. Jobs that are over may still send frames then. */
    private boolean left;

    /**
     * A report that must not overtake what was sent before it; {@code behind} is the number of those frames.
     *
     * @param repeated whether it is repeated, and may be dropped
     */
    private record Diagnosis(Side side, ByteBuf frame, long behind, boolean repeated) {}

    /** A shard's frames of one kind. */
    private static final class Sender {
        private final Side side;

        /**
         * Number of frames that the other relay has acknowledged since this relay started, and the number reported to
         * the core.
         */
        private long acknowledged;

        private long told;

        private Sender(Side side) {
            this.side = side;
        }
    }

    /** The state of one shard towards this relay. */
    private static final class Side {
        private final RelayPeer peer;

        /**
         * Frames that its ranks keep until they are acknowledged, and those among them that pass the gate, where others
         * overtake them.
         */
        private final Sender kept = new Sender(this);

        private final Sender keptAndGated = new Sender(this);
        private final Sender answers = new Sender(this);
        private final Sender others = new Sender(this);

        /**
         * The sent and unacknowledged frames, in order, while the other relay's restart is being arranged; otherwise
         * null.
         */
        private List<ByteBuf> late;

        /**
         * Frames that the restarted relay sends before the core knows of the restart; null unless that is being
         * arranged.
         */
        private List<Runnable> early;

        private Side(RelayPeer peer) {
            this.peer = peer;
        }
    }

    /**
     * @param links null if this relay has no links
     * @param unmetUse receives each frame that is sent before there was a link with the other relay. It makes sure that
     * the links keep the frame
     */
    public LinkedRelay(String id, List<Shard> shards, Strand control, Links links, Consumer<ByteBuf> unmetUse) {
        this.id = id;
        this.control = control;
        this.links = links;
        this.unmetUse = unmetUse;
        this.met = links != null && links.hasMet(id);
        shards.forEach(shard -> sides.add(new Side(new RelayPeer(this, shard))));
    }

    public String id() {
        return id;
    }

    public LinkFlow flow() {
        return flow;
    }

    /** The peer by which a shard knows this relay. Thread-safe. */
    public RelayPeer peer(Shard shard) {
        return sides.get(shard.number()).peer;
    }

    // ---- called by shards, in their strands

    boolean isReachable() {
        return links != null;
    }

    /**
     * Sends a frame over the link.
     *
     * @param kept whether the rank keeps the frame until the other relay has handled it
     * @param gated whether the frame has passed the gate
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
     * Sends a report of a blocked rank after all frames sent before it have been handled. A link lets short frames
     * overtake long ones, and this report says that nothing more will come. The report is repeated, so a link that is
     * full or down drops it.
     */
    void diagnose(RelayPeer from, ByteBuf frame) {
        Side side = sides.get(from.shard().number());
        control.submit(() -> {
            if (!left && diagnoses.size() < DIAGNOSES_MAX && links.isUp(id)) {
                diagnoses.add(new Diagnosis(side, frame, acknowledged + senders.size(), true));
                sendDiagnoses();
            } else {
                frame.release();
            }
        });
    }

    /**
     * Sends a frame of no rank that may be lost. Takes it over.
     *
     * @return whether it was sent: the link is up, not full, and no restart of the other relay is being arranged
     */
    public boolean trySend(ByteBuf frame) {
        Side side = sides.getFirst();
        if (left || side.late != null || links == null || !links.isUp(id) || !links.writable(id)) {
            frame.release();
            return false;
        }
        send(side.others, frame);
        return true;
    }

    /** Sends a frame after all frames sent before it have been handled. It is not dropped: there is one for each death of a rank. */
    void sendBehind(RelayPeer from, ByteBuf frame) {
        Side side = sides.get(from.shard().number());
        control.submit(() -> {
            if (left) {
                frame.release();
            } else {
                diagnoses.add(new Diagnosis(side, frame, acknowledged + senders.size(), false));
                sendDiagnoses();
            }
        });
    }

    private void sendDiagnoses() {
        while (!diagnoses.isEmpty() && diagnoses.element().behind <= acknowledged) {
            Diagnosis next = diagnoses.remove();
            if (!next.repeated || next.side.late == null && links.isUp(id) && links.writable(id)) {
                send(next.side.others, next.frame);
            } else {
                next.frame.release();
            }
        }
    }

    /**
     * Acknowledges frames of the other relay. After the link was released it does nothing. Only frames of a dead relay
     * are unhandled by then, and the next link uses the same numbers.
     */
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
        if (!met) {
            unmetUse.accept(frame);
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

    /**
     * Checks whether a frame that requests an answer is allowed.
     *
     * @throws WireException if the other relay does not acknowledge its answers
     */
    public void requireAnswersRead(FrameView view) throws WireException {
        boolean asks = view.type() == FrameType.WITHDRAW || view.type() == FrameType.OFFER && (view.flags() & FrameView.AGAIN) != 0;
        if (asks && answers >= ANSWERS_MAX && ++askedBeyond > ANSWERS_MAX) {
            throw new WireException(CloseReason.LIMIT,
                    view.type() + " from relay " + id + ", which has not acknowledged " + answers + " answers, the most that may wait");
        }
    }

    /**
     * Which job holds all frames for the other relay, in words. That relay cannot handle the first frame, because its
     * log has no room or the job stands still there.
     *
     * @param nowNs current value of {@link System#nanoTime}
     * @return empty if no job does
     */
    public String held(long nowNs, LongFunction<String> jobName) {
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
                    + jobName.apply(LinkOutage.job(frames.getFirst())) + ", and past the link's window all that is to go there waits; its status says why";
            LOG.warn("{}", held);
        }
        return held;
    }

    /**
     * Handles a frame for a rank of this shard.
     *
     * @return whether it was handled
     */
    public boolean take(Shard shard, long number, ArrivedFrame arrived, ByteBuf buffer, int index, int length, FrameView view) {
        Side side = sides.get(shard.number());
        if (side.early == null) {
            return shard.fromLink(side.peer, number, arrived, buffer, index, length, view);
        }
        ByteBuf kept = BufferParcel.keep(buffer, index, length);
        side.early.add(() -> shard.heldFromLink(side.peer, number, kept));
        return false;
    }

    /** Called when the other relay has handled {@code frames} more frames. */
    public void onAcknowledged(long frames) {
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

    public void onUp() {
        met = true;
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
     * Called when the other relay was restarted. First each shard holds what it sends there. When all its earlier
     * frames have arrived here, its core decides what is sent again. If an earlier restart is still being arranged, the
     * one round serves both.
     *
     * @param frames the sent and unacknowledged frames, in order
     */
    public void onRestarted(List<ByteBuf> frames) {
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

    /**
     * Called when the link was released because no open job needs the other relay. The shards lose what it has not
     * handled, as after a restart, and then forget it.
     */
    public void onLetGo(List<ByteBuf> frames) {
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

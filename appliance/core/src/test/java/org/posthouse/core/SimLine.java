package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;

/** A rank's end of its connections: keeps what is not safe, and writes it again when it comes again. */
final class SimLine {
    /** How far it has come on this connection. */
    enum Stage {
        AWAY,
        GREETING,
        BACK,
        LIVE
    }

    /** Names a message: {@code peer} is its other end. */
    record Place(int context, int peer, long sequence) {
        static Place of(FrameView view) {
            return new Place(view.context(), view.destination(), view.sequence());
        }
    }

    private record Kept(long number, ByteBuffer frame) {
        FrameView view() {
            return new FrameView().wrap(frame, 0);
        }
    }

    private final CoreWorld world;
    private final int rank;
    private final Map<List<Integer>, Long> accepted = new HashMap<>();
    private final Set<Place> open = new HashSet<>();
    private List<Kept> kept = new ArrayList<>();
    private Stage stage = Stage.AWAY;
    private long next = 1;
    private int toldBySite;
    private SimPipe toRelay;
    private SimPipe toRank;
    private SimRelay.Port port;

    SimLine(CoreWorld world, int rank) {
        this.world = world;
        this.rank = rank;
    }

    Stage stage() {
        return stage;
    }

    void stage(Stage next) {
        stage = next;
    }

    boolean isLive() {
        return stage == Stage.LIVE;
    }

    /** Number that the next kept frame gets. */
    long next() {
        return next;
    }

    /** A new connection, over which HELLO goes. */
    void dial(SimPipe newToRelay, SimPipe newToRank, Runnable hello) {
        toRelay = newToRelay;
        toRank = newToRank;
        stage = Stage.GREETING;
        toRelay.send(0, hello);
    }

    SimPipe toRank() {
        return toRank;
    }

    /** The relay's end of the connection. */
    void port(SimRelay.Port relayEnd) {
        port = relayEnd;
    }

    SimRelay.Port port() {
        return port;
    }

    void cut() {
        stage = Stage.AWAY;
        toRelay.cut();
        toRank.cut();
        port = null;
    }

    void send(ByteBuffer frame) {
        check(stage == Stage.LIVE || stage == Stage.BACK, "a frame to nobody");
        if (world.logged() && isKept(frame)) {
            ByteBuffer copy = ByteBuffer.allocate(frame.capacity());
            copy.put(0, frame, 0, frame.capacity());
            kept.add(new Kept(next++, copy));
        }
        toRelay.send(frame.capacity(), () -> port.fromRank(frame));
    }

    private static boolean isKept(ByteBuffer frame) {
        return switch (new FrameView().wrap(frame, 0).type()) {
            case SEND, EAGER, OFFER, CHUNK, EVENTS -> true;
            default -> false;
        };
    }

    /** Some are safe: looks whether they are, and forgets them. */
    void ack(FrameView ack) {
        check(
                ack.handled() < next && ack.safe() <= ack.handled(),
                "ACK of " + ack.safe() + " and " + ack.handled() + ", " + (next - 1) + " were sent");
        kept.removeIf(frame -> {
            boolean told = frame.number <= ack.safe() || isSafe(ack, frame);
            check(!told || world.isSafe(rank, frame.view()), "told to be safe: " + frame.view());
            toldBySite += told && frame.number > ack.safe() ? 1 : 0;
            return told;
        });
    }

    /** Whether it is safe though others before it are not. */
    private boolean isSafe(FrameView ack, Kept frame) {
        return ack.homes() > 0
                && frame.number <= ack.handled()
                && (frame.view().type() == FrameType.EVENTS
                        || frame.number < ack.firstUnsafe(world.relayOfRank(frame.view().destination())));
    }

    /** Frames that were safe before others that were sent before them. */
    int toldBySite() {
        return toldBySite;
    }

    /** The relay has answered FINALIZE. */
    void checkAllSafe() {
        kept.forEach(frame -> check(world.isSafe(rank, frame.view()), "finalized before it was safe: " + frame.view()));
    }

    /** Messages that it does not begin again, but goes on with: those that it offers, or has chunks of, without their head. */
    List<StatePage.Entry> goingOn(Map<Place, SimLetter> offered) {
        Map<Place, Long> chunks = new HashMap<>();
        Set<Place> heads = new HashSet<>();
        for (Kept frame : kept) {
            FrameView view = frame.view();
            if (view.type() == FrameType.CHUNK) {
                chunks.putIfAbsent(Place.of(view), view.offset());
            } else if (view.type() != FrameType.EVENTS) {
                heads.add(Place.of(view));
            }
        }
        Map<Place, Long> going = new HashMap<>(chunks);
        offered.forEach((place, letter) -> going.putIfAbsent(place, letter.bytesCleared));
        going.keySet().removeAll(heads);
        List<StatePage.Entry> entries = new ArrayList<>();
        going.forEach((transfer, from) -> entries.add(new StatePage.Entry(
                StatePage.OFFERED,
                transfer.context,
                transfer.peer,
                (int) ((from + Wire.PAYLOAD_BYTES_MAX - 1) / Wire.PAYLOAD_BYTES_MAX),
                transfer.sequence,
                world.letter(transfer.context, rank, transfer.peer, transfer.sequence).bytes)));
        return entries;
    }

    /** What the relay says of the channels. */
    void learn(List<StatePage.Entry> state) {
        accepted.clear();
        open.clear();
        for (StatePage.Entry entry : state) {
            if (entry.kind() == StatePage.ACCEPTED) {
                accepted.put(List.of(entry.context(), entry.peer()), entry.a());
            } else if (entry.kind() == StatePage.OPEN) {
                open.add(new Place(entry.context(), entry.peer(), entry.a()));
            }
        }
    }

    /** Whether the channel has all of this message. */
    boolean isThere(int context, int peer, long sequence) {
        return sequence <= accepted.getOrDefault(List.of(context, peer), 0L)
                && !open.contains(new Place(context, peer, sequence));
    }

    /** Writes what may be missing again, in the order in which it was written first. @return the credit that it takes: bytes, messages */
    long[] writeAgain(Set<Place> gone) {
        List<Kept> before = kept;
        kept = new ArrayList<>();
        long[] credit = {0, 0};
        for (Kept frame : before) {
            FrameView view = frame.view();
            Place place = Place.of(view);
            if (view.type() == FrameType.EVENTS) {
                send(frame.frame);
            } else if (gone.contains(place)) {
                continue;
            } else if (isThere(view.context(), view.destination(), view.sequence())) {
                kept.add(frame);
            } else {
                if (view.type() != FrameType.CHUNK) {
                    view.flags(view.flags() | FrameView.AGAIN);
                }
                boolean costs = view.type() == FrameType.SEND || view.type() == FrameType.EAGER;
                if (costs && !open.contains(place)) {
                    credit[0] += Wire.cost(view.messageBytes());
                    credit[1]++;
                }
                send(frame.frame);
            }
        }
        return credit;
    }

    private void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("line of rank " + rank + ": " + what);
        }
    }
}

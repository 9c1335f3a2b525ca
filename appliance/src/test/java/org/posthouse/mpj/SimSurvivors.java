package org.posthouse.mpj;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.posthouse.mpj.failure.AgreementOperation;
import org.posthouse.mpj.failure.PendingFailureException;
import org.posthouse.mpj.failure.RankFailures;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.FailedProbeException;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.Wire;

/**
 * A program that goes on without ranks that die: rounds of a ring, after each of which all that live agree whether it has worked; if not, they shrink
 * and make it again. All that it sees, errors too, goes into its mark, and with it into all that it sends and prints: another process that sees anything
 * else is found out.
 */
final class SimSurvivors {
    private static final int WORLD = 0;

    /** Numbers of communicators that agreements make, from the top. */
    private static final int NUMBERS = 8_192;

    private static final int BYTES_MIN = Long.BYTES;
    private static final int POLLS_MAX = 12;

    private final SimProcess process;
    private final Endpoint endpoint;
    private final RankFailures failures;
    private final SplittableRandom own;
    private final int eagerBytesMax;
    private final int rounds;
    private int communicator = WORLD;
    private int[] members;

    /** The dead that it has acknowledged. */
    private final BitSet acknowledged = new BitSet();

    private long mark;

    SimSurvivors(SimProcess process, int ranks, int rounds, int eagerBytesMax, SplittableRandom own) {
        this.process = process;
        this.endpoint = process.endpoint();
        this.failures = endpoint.failures().orElseThrow();
        this.own = own;
        this.eagerBytesMax = eagerBytesMax;
        this.rounds = rounds;
        members = new int[ranks];
        Arrays.setAll(members, rank -> rank);
    }

    void play() {
        failures.opened(communicator, members);
        for (int round = 0; round < rounds; round++) {
            while (!agreed(round(round))) {
                shrink();
            }
            process.print("round " + round + " of " + Arrays.toString(members) + ": " + Long.toHexString(mark));
        }
        process.print("the end of " + Arrays.toString(members));
    }

    private void saw(long what) {
        mark = (mark ^ what) * 0x9E3779B97F4A7C15L + (mark >>> 29);
    }

    // ---- a round

    private boolean round(int round) {
        boolean isCollective = round % 3 == 1;
        List<Act> acts = new ArrayList<>();
        boolean worked = true;
        try {
            if (!isCollective && own.nextInt(6) == 0 && failures.isRevoked(communicator)) {
                saw(11);
            }
            for (int step = 0; step < 2; step++) {
                begin(acts, 2 * communicator + (isCollective ? 1 : 0), 2 * round + step, isCollective);
                if (own.nextBoolean()) {
                    end(acts);
                }
            }
            end(acts);
        } catch (Failed e) {
            worked = false;
            failures.revoke(communicator, NUMBERS + communicator);
            giveUp(acts);
        }
        return worked;
    }

    private static final class Failed extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private Failed failed(ReceiveException why) {
        saw(why.kind() == ReceiveException.Kind.REVOKED ? 5 : 100 + why.rank());
        return new Failed();
    }

    /**
     * @param peer whom it is to or from; a receive may be of any source, but nobody else sends to it
     * @param inbound null for a send
     */
    private record Act(Operation operation, int context, int peer, int tag, Inbound inbound) {}

    private void begin(List<Act> acts, int context, int tag, boolean isCollective) throws Failed {
        int hop = members.length > 2 && tag % 3 == 2 ? 2 : 1; // So that what becomes of a message to one rank another one gets to know.
        int next = inRing(hop);
        int before = inRing(members.length - hop);
        if (own.nextBoolean()) {
            receive(acts, context, before, tag, isCollective);
            send(acts, context, next, tag);
        } else {
            send(acts, context, next, tag);
            receive(acts, context, before, tag, isCollective);
        }
    }

    private int inRing(int hops) {
        return members[(Arrays.binarySearch(members, process.rank()) + hops) % members.length];
    }

    private void send(List<Act> acts, int context, int destination, int tag) {
        int bytes = own.nextInt(4) == 0 ? eagerBytesMax + 1 + own.nextInt(Wire.PAYLOAD_BYTES_MAX * 3) : BYTES_MIN + own.nextInt(300);
        SendMode mode = own.nextInt(6) == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD;
        process.diary().sent(new Diary.Letter(context, destination, tag, bytes, 0, mark));
        acts.add(new Act(endpoint.send(context, destination, tag, new Outbound(mark, bytes), mode), context, destination, tag, null));
    }

    /** Names its source where that is dead and acknowledged: a receive of any source waits for those that live, of which none sends. */
    private void receive(List<Act> acts, int context, int source, int tag, boolean isCollective) throws Failed {
        int from = isCollective || own.nextInt(3) > 0 || acknowledged.get(source) ? source : Wire.ANY;
        if (!isCollective && own.nextInt(5) == 0) {
            probe(context, from, tag);
        }
        Inbound inbound = new Inbound();
        acts.add(new Act(endpoint.receive(context, from, tag, inbound), context, source, tag, inbound));
    }

    /** Never waits: its message may be sent only behind it. */
    private void probe(int context, int source, int tag) throws Failed {
        try {
            Envelope found = endpoint.tryProbe(context, source, tag);
            saw(found == null ? 7 : found.bytes());
        } catch (FailedProbeException e) {
            throw failed(e.failure());
        }
    }

    private void end(List<Act> acts) throws Failed {
        while (!acts.isEmpty()) {
            int index = acts.size() == 1 || own.nextBoolean() ? 0 : -1;
            try {
                index = index < 0 ? any(acts) : index;
                if (own.nextInt(4) == 0) {
                    poll(acts.get(index).operation());
                }
                endpoint.await(acts.get(index).operation(), "Wait");
            } catch (PendingFailureException e) {
                saw(13);
                if (own.nextBoolean() || isFromTheDead(acts, acknowledge())) {
                    throw new Failed();
                }
                continue;
            }
            finished(acts.remove(index));
        }
    }

    private static boolean isFromTheDead(List<Act> acts, List<Integer> dead) {
        return acts.stream().anyMatch(act -> act.inbound() != null && dead.contains(act.peer()));
    }

    private int any(List<Act> acts) {
        int index = endpoint.awaitAny(acts.stream().map(Act::operation).toArray(Operation[]::new), "Waitany");
        saw(index);
        return index;
    }

    private void poll(Operation operation) {
        for (int polls = own.nextInt(POLLS_MAX); polls > 0; polls--) {
            boolean done = endpoint.test(operation);
            saw(done ? 1 : 2);
            if (done) {
                return;
            }
        }
    }

    private void finished(Act act) throws Failed {
        ReceiveException failure = act.operation().failure();
        if (failure != null) {
            throw failed(failure);
        }
        if (act.inbound() != null && !act.operation().isCancelled()) {
            saw(act.operation().envelope().source());
            saw(act.inbound().sum());
            Diary.Letter letter = new Diary.Letter(act.context(), act.peer(), act.tag(), act.inbound().bytes.length, 0, act.inbound().mark());
            process.diary().received(process.diary().post(act.context(), act.peer(), act.tag()), letter);
        }
    }

    private List<Integer> acknowledge() {
        int[] dead = failures.failed(communicator);
        for (int rank : dead) {
            saw(200 + rank);
            acknowledged.set(rank);
        }
        saw(failures.acknowledge(communicator, dead.length));
        return Arrays.stream(dead).boxed().toList();
    }

    /** The communicator is revoked, so that all that is under way ends. */
    private void giveUp(List<Act> acts) {
        for (Act act : acts) {
            while (!act.operation().isSeen()) {
                try {
                    if (act.inbound() != null && own.nextInt(4) == 0) {
                        saw(endpoint.cancel(act.operation()) ? 3 : 4);
                    }
                    endpoint.await(act.operation(), "Wait");
                } catch (PendingFailureException e) {
                    saw(14);
                    acknowledge();
                }
            }
            saw(act.operation().failure() == null ? 8 : 9);
        }
    }

    // ---- what the living agree on

    private Agreed agree(Agree.Kind kind, int flags) {
        AgreementOperation operation = failures.agree(communicator, kind, flags);
        if (own.nextInt(3) == 0) {
            poll(operation);
        }
        endpoint.await(operation, "agree");
        Agreed agreed = operation.result();
        saw(agreed.flags());
        saw(agreed.communicator() + (agreed.unacknowledged() ? 1_000 : 0));
        saw(agreed.failed().hashCode());
        return agreed;
    }

    private boolean agreed(boolean worked) {
        if (own.nextInt(3) == 0) {
            acknowledge();
        }
        Agreed agreed = agree(Agree.Kind.AGREE, worked ? 1 : 0);
        return agreed.flags() == 1 && !agreed.unacknowledged();
    }

    private void shrink() {
        Agreed agreed = agree(Agree.Kind.SHRINK, -1);
        saw(failures.closed(communicator) ? 21 : 22);
        communicator = NUMBERS - agreed.communicator();
        members = Arrays.stream(members).filter(rank -> !agreed.failed().get(rank)).toArray();
        failures.opened(communicator, members);
    }

    /** So many bytes, of which the first say what its sender has seen. */
    private record Outbound(long mark, int length) implements Content {
        @Override
        public long bytes() {
            return length;
        }

        @Override
        public int elements() {
            return length;
        }

        @Override
        public int datatype() {
            return 1;
        }

        @Override
        public void write(long from, ByteBuffer out) {
            for (long at = from; out.hasRemaining(); at++) {
                out.put(at < Long.BYTES ? (byte) (mark >>> 8 * at) : (byte) (at + mark));
            }
        }
    }

    private static final class Inbound implements Sink {
        private byte[] bytes = {};

        @Override
        public void begin(Envelope envelope) {
            bytes = new byte[(int) envelope.bytes()];
        }

        @Override
        public void read(long at, ByteBuffer in) {
            in.get(bytes, (int) at, in.remaining());
        }

        @Override
        public void end() {}

        /** What the sender has seen. */
        long mark() {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong();
        }

        /** Of what the sender has seen, and of the rest. */
        long sum() {
            long sum = 0;
            for (byte each : bytes) {
                sum = 31 * sum + each;
            }
            return sum;
        }
    }
}

package org.posthouse.bench.scale;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.rank.BenchOperation;
import org.posthouse.mpj.Endpoints;

/**
 * One rank of {@code bench scale}: its own endpoint at each relay, its own connections, its own buffers, in a process
 * that hosts others too. Its ping-pong is NetPIPE's: the first partner sends X bytes and waits for X bytes.
 *
 * <p>All pairs run for the same time, and not the same number of round trips: none of them ever has the relay for
 * itself because others are done. The first byte of the first partner's last message says that it is the last.
 *
 * <p>Used by one thread at a time.
 */
final class HostedRank {
    private static final byte LAST = 1;
    private static final int DIGITS = 3;

    private final ScaleRoute route;
    private final ByteBuffer out;
    private final ByteBuffer in;
    private final List<Way> ways = new ArrayList<>();

    /** @param bytesMax the longest message there will be */
    HostedRank(ScaleRoute route, int bytesMax) {
        this.route = route;
        this.out = ByteBuffer.allocateDirect(bytesMax);
        this.in = ByteBuffer.allocateDirect(bytesMax);
    }

    /**
     * A rank's report of a phase.
     *
     * @param fault the bytes that were received wrong, in words; empty if none were
     * @param roundTrips number of round trips; 0 of a second partner
     * @param nanos the time from the beginning of all ranks of the process to this rank's end
     * @param medianNanos the median of one
     */
    record Outcome(String fault, long roundTrips, long nanos, long medianNanos) {
        static final Outcome NOTHING = new Outcome("", 0, 0, 0);

        double perSecond() {
            return roundTrips * 1e9 / nanos;
        }

        void write(DataOutput out) throws IOException {
            out.writeUTF(fault);
            out.writeLong(roundTrips);
            out.writeLong(nanos);
            out.writeLong(medianNanos);
        }

        static Outcome read(DataInput in) throws IOException {
            return new Outcome(in.readUTF(), in.readLong(), in.readLong(), in.readLong());
        }
    }

    ScaleRoute route() {
        return route;
    }

    /** Opens every way; blocks until the partner does the same. */
    Outcome open() throws IOException {
        List<Way> messages = new ArrayList<>();
        for (ScaleRoute.Leg leg : route.legs()) {
            messages.add(leg.carrier() == Carrier.RELAY ? relayed(leg) : null);
        }
        Way first = messages.stream().filter(way -> way != null).findFirst().orElseThrow();
        for (int i = 0; i < messages.size(); i++) {
            ways.add(messages.get(i) != null ? messages.get(i) : connected(route.legs().get(i), first));
        }
        return Outcome.NOTHING;
    }

    private Way relayed(ScaleRoute.Leg leg) throws IOException {
        return new Way.Messages(Endpoints.hosted(leg.address(), leg.job(), route.rank(), leg.token()), route.partner());
    }

    /** A connection to the partner, about whose port the two speak over {@code messages}. */
    private Way connected(ScaleRoute.Leg leg, Way messages) throws IOException {
        if (!route.isFirst()) {
            return Way.Connection.accept(messages);
        }
        ByteBuffer port = ByteBuffer.allocate(Integer.BYTES);
        messages.receive(port);
        return leg.carrier() == Carrier.RAW
                ? Way.Connection.dial(port.getInt(0))
                : Way.Connection.dialThrough(Integer.parseInt(leg.address()), port.getInt(0));
    }

    /** Does its part of a phase that began at {@code startNanos} for all ranks of the process. */
    Outcome work(ScaleOrder order, long startNanos) throws IOException {
        Way way = ways.get(order.series());
        out.clear().limit(order.bytes());
        in.clear().limit(order.bytes());
        if (order.work() == ScaleOrder.Work.CHECK) {
            return check(way);
        }
        out.put(0, (byte) 0);
        return route.isFirst() ? ask(way, startNanos, startNanos + TimeUnit.MILLISECONDS.toNanos(order.phaseMs())) : answer(way);
    }

    private Outcome check(Way way) throws IOException {
        for (int i = 0; i < out.limit(); i++) {
            out.put(i, BenchOperation.content(route.rank(), i));
            in.put(i, (byte) 0);
        }
        if (route.isFirst()) {
            way.send(out);
            way.receive(in);
        } else {
            way.receive(in);
            way.send(out);
        }
        for (int i = 0; i < in.limit(); i++) {
            byte expected = BenchOperation.content(route.partner(), i);
            if (in.get(i) != expected) {
                return new Outcome("rank " + route.rank() + ": " + BenchOperation.fault("byte", i, in.get(i), expected), 0, 0, 0);
            }
        }
        return Outcome.NOTHING;
    }

    private Outcome ask(Way way, long startNanos, long endNanos) throws IOException {
        Histogram times = new Histogram(TimeUnit.MINUTES.toNanos(10), DIGITS);
        long now = System.nanoTime();
        boolean last = false;
        while (!last) {
            last = now - endNanos >= 0;
            out.put(0, last ? LAST : 0);
            way.send(out);
            way.receive(in);
            long sent = now;
            now = System.nanoTime();
            times.recordValue(now - sent);
        }
        return new Outcome("", times.getTotalCount(), now - startNanos, times.getValueAtPercentile(50));
    }

    private Outcome answer(Way way) throws IOException {
        boolean last = false;
        while (!last) {
            way.receive(in);
            last = in.get(0) == LAST;
            way.send(out);
        }
        return Outcome.NOTHING;
    }

    /** Closes every way; the partner has done all it was asked to. */
    Outcome close() throws IOException {
        for (Way way : ways) {
            way.close();
        }
        ways.clear();
        return Outcome.NOTHING;
    }
}

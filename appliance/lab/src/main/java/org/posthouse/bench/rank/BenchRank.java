package org.posthouse.bench.rank;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import mpi.MPI;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.mpj.Endpoints;

/**
 * The program of every rank of every bench. It does the phases that the driver asks for until it is asked to leave.
 * The orders come over a connection of their own, so that no message but the test's own passes the relay.
 *
 * <p>Arguments: the driver's port, the number of pairs, the window of a stream, how many windows it has, the pairs' buffers, and for each
 * bare forwarder its carrier and port. Each phase is answered with a
 * text that names what was received wrong, empty if nothing was, and the times in nanoseconds that count.
 */
public final class BenchRank {
    private final RankPair rankPair;
    private final Operations operations;
    private final Map<Subject, BenchOperation> prepared = new HashMap<>();
    private int bytes;

    /** The use of the buffers. */
    private record Subject(Benchmark test, Carrier carrier) {}

    private BenchRank(RankPair rankPair, Operations operations) {
        this.rankPair = rankPair;
        this.operations = operations;
    }

    public static void main(String[] args) throws IOException {
        String[] own = MPI.Init(args);
        Map<Carrier, Integer> forwarders = new EnumMap<>(Carrier.class);
        for (int i = 5; i < own.length; i += 2) {
            forwarders.put(Carrier.valueOf(own[i]), Integer.valueOf(own[i + 1]));
        }
        try (Socket driver = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(own[0]));
                RankPair rankPair = RankPair.open(Integer.parseInt(own[1]), BufferKind.valueOf(own[4]), forwarders)) {
            driver.setTcpNoDelay(true);
            Operations operations = new Operations(rankPair, Integer.parseInt(own[2]), Integer.parseInt(own[3]));
            new BenchRank(rankPair, operations).serve(driver);
        }
        MPI.Finalize();
    }

    private void serve(Socket driver) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(driver.getInputStream()));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(driver.getOutputStream()));
        out.writeInt(MPI.COMM_WORLD.Rank());
        out.writeLong(ProcessHandle.current().pid());
        out.writeBoolean(System.getenv(Endpoints.FOLLOWER) != null);
        out.flush();
        for (Phase phase = Phase.read(in); phase.work() != Phase.Work.LEAVE; phase = Phase.read(in)) {
            answer(phase, out);
            out.flush();
        }
    }

    private void answer(Phase phase, DataOutputStream out) throws IOException {
        String fault = "";
        long[] nanos = {};
        switch (phase.work()) {
            case CHECK -> fault = check(phase, prepare(phase));
            case MEASURE -> nanos = measure(phase, prepare(phase));
            case BARRIERS -> barriers(phase);
            case LISTEN -> nanos = new long[] {rankPair.listen()};
            case CONNECT -> rankPair.connect(phase.carrier(), phase.bytes());
            case LEAVE -> throw new IllegalStateException("asked to leave and to answer");
        }
        out.writeUTF(fault);
        out.writeInt(nanos.length);
        for (long sample : nanos) {
            out.writeLong(sample);
        }
    }

    /** Keeps buffers from phase to phase of one size, so that none but the first finds them cold. */
    private BenchOperation prepare(Phase phase) {
        if (phase.bytes() != bytes) {
            prepared.clear();
            bytes = phase.bytes();
        }
        // Tests of pairs may take turns; the buffers of a collective are too large to be kept for nothing.
        prepared.keySet().removeIf(kept -> kept.test != phase.test() && !(kept.test.isOfPairs() && phase.test().isOfPairs()));
        return prepared.computeIfAbsent(new Subject(phase.test(), phase.carrier()), unseen -> operations.of(phase));
    }

    /** Reports the first fault, but continues to the end: other ranks wait for this one. */
    private static String check(Phase phase, BenchOperation operation) throws IOException {
        String first = "";
        for (int i = 0; i < phase.iterations(); i++) {
            operation.fill();
            operation.run(i);
            String fault = operation.fault(i);
            if (first.isEmpty() && !fault.isEmpty()) {
                first = phase + " at rank " + MPI.COMM_WORLD.Rank() + ": " + fault;
            }
        }
        return first;
    }

    private static long[] measure(Phase phase, BenchOperation operation) throws IOException {
        long[] nanos = new long[phase.iterations()];
        boolean afterBarrier = phase.test().followsBarrier();
        for (int i = 0; i < nanos.length; i++) {
            if (afterBarrier) {
                MPI.COMM_WORLD.Barrier();
            }
            long start = System.nanoTime();
            operation.run(i);
            nanos[i] = System.nanoTime() - start;
        }
        return operation.isTimed() ? nanos : new long[0];
    }

    private static void barriers(Phase phase) {
        for (int i = 0; i < phase.iterations(); i++) {
            MPI.COMM_WORLD.Barrier();
        }
    }
}

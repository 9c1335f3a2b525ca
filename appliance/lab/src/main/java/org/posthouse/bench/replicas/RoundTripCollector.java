package org.posthouse.bench.replicas;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.posthouse.launch.job.JobFailure;

/** Collects what the processes of a job of {@link PauseRank}s report of their round trips. A thread for each reads it; guarded by itself. */
final class RoundTripCollector implements AutoCloseable {
    /** Round trips before a kill. */
    private static final int WARM_TRIPS = 500;

    /** Round trips behind a kill, of which the longest counts: the first may have been answered by the process that was killed. */
    private static final int TRIPS_BEHIND_KILL = 5;

    private static final long WAIT_SECONDS_MAX = 120;

    /** One round trip. Times are of {@link System#nanoTime}. */
    private record Trip(long beginNs, long endNs) {}

    /** A process of rank 1. */
    private static final class Answering {
        private long answers;
    }

    private final ServerSocket server;
    private final List<Socket> sockets = new ArrayList<>();
    private final List<Trip> trips = new ArrayList<>();
    private final List<Answering> answering = new ArrayList<>();
    private int processes;

    private RoundTripCollector(ServerSocket server) {
        this.server = server;
    }

    static RoundTripCollector open() throws IOException {
        RoundTripCollector collector = new RoundTripCollector(new ServerSocket(0, 0, InetAddress.getLoopbackAddress()));
        start(collector::accept);
        return collector;
    }

    private interface Reading {
        void run() throws IOException;
    }

    /** Reads until its process is killed, or the bench ends. */
    private static void start(Reading reading) {
        Thread.ofVirtual().name("posthouse-bench-trips").start(() -> {
            try {
                reading.run();
            } catch (IOException e) {
                Thread.currentThread().interrupt(); // Nothing comes any more: the driver waits in vain, and says for what.
            }
        });
    }

    private void accept() throws IOException {
        while (true) {
            Socket socket = server.accept();
            synchronized (this) {
                sockets.add(socket);
            }
            start(() -> read(new DataInputStream(new BufferedInputStream(socket.getInputStream()))));
        }
    }

    private void read(DataInputStream in) throws IOException {
        int rank = in.readInt();
        boolean follows = in.readBoolean();
        Answering own = new Answering();
        synchronized (this) {
            processes++;
            if (rank == 1) {
                answering.add(own);
            }
            notifyAll();
        }
        while (true) {
            long first = in.readLong();
            long second = rank == 0 ? in.readLong() : 0;
            synchronized (this) {
                if (rank == 1) {
                    own.answers = first;
                } else if (!follows) {
                    trips.add(new Trip(first, second));
                }
                notifyAll();
            }
        }
    }

    int port() {
        return server.getLocalPort();
    }

    /** Waits until so many processes run and those of rank 1 are where rank 0 is. */
    synchronized void awaitAll(int expected, ReplicatedJob job) throws JobFailure, InterruptedException {
        await(() -> processes >= expected && trips.size() >= WARM_TRIPS && answering.stream().allMatch(this::isNear), job,
                () -> processes + " of " + expected + " processes and " + trips.size() + " of " + WARM_TRIPS + " round trips, before any kill");
    }

    private boolean isNear(Answering process) {
        return process.answers >= trips.size() - 2 * PauseRank.TOLD_EVERY;
    }

    /** The nanoseconds from a kill at this time to the end of the round trip that it has held up. */
    synchronized long awaitPause(long killNs, ReplicatedJob job) throws JobFailure, InterruptedException {
        await(() -> behind(killNs).size() >= TRIPS_BEHIND_KILL, job, () -> behind(killNs).size() + " round trips behind the kill");
        Trip longest = behind(killNs).getFirst();
        for (Trip trip : behind(killNs).subList(0, TRIPS_BEHIND_KILL)) {
            longest = trip.endNs - trip.beginNs > longest.endNs - longest.beginNs ? trip : longest;
        }
        return longest.endNs - killNs;
    }

    private List<Trip> behind(long killNs) {
        return trips.stream().filter(trip -> trip.endNs - killNs > 0).toList();
    }

    private void await(BooleanSupplier condition, ReplicatedJob job, Supplier<String> soFar) throws JobFailure, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS_MAX);
        while (!condition.getAsBoolean()) {
            if (job.isOver() || System.nanoTime() - deadline > 0) {
                String when = job.isOver() ? ", when the job ended" : ", after " + WAIT_SECONDS_MAX + " s";
                throw job.failure("there were only " + soFar.get() + when, null);
            }
            TimeUnit.MILLISECONDS.timedWait(this, 200);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}

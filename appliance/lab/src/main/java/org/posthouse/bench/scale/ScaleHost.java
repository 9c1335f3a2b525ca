package org.posthouse.bench.scale;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A process that hosts ranks of {@code bench scale}, each in a thread of its own. It does what the driver orders over a
 * connection of their own, and ends when that connection does. Arguments: the driver's port, and this process's number.
 */
public final class ScaleHost {
    private final DataInputStream in;
    private final DataOutputStream out;
    private final List<HostedRank> ranks = new ArrayList<>();
    private ExecutorService threads;

    private ScaleHost(Socket driver) throws IOException {
        in = new DataInputStream(new BufferedInputStream(driver.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(driver.getOutputStream()));
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        try (Socket driver = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]))) {
            driver.setTcpNoDelay(true);
            ScaleHost host = new ScaleHost(driver);
            host.out.writeInt(Integer.parseInt(args[1]));
            host.out.flush();
            host.serve();
        }
    }

    private void serve() throws IOException, InterruptedException {
        while (true) {
            ScaleOrder order;
            try {
                order = ScaleOrder.read(in);
            } catch (EOFException e) {
                return; // The driver is done, or gone.
            }
            for (HostedRank.Outcome outcome : perform(order)) {
                outcome.write(out);
            }
            out.flush();
        }
    }

    private List<HostedRank.Outcome> perform(ScaleOrder order) throws IOException, InterruptedException {
        return switch (order.work()) {
            case OPEN -> {
                readRoutes();
                threads = threads(ranks.size());
                yield all(HostedRank::open);
            }
            case CHECK, MEASURE -> {
                long start = System.nanoTime();
                yield all(rank -> rank.work(order, start));
            }
            case CLOSE -> {
                List<HostedRank.Outcome> outcomes = all(HostedRank::close);
                threads.shutdown();
                ranks.clear();
                yield outcomes;
            }
        };
    }

    /** One for each rank. Daemons: the process ends with the driver, which may have been killed, and nothing else waits for them. */
    static ExecutorService threads(int ranks) {
        return Executors.newFixedThreadPool(Math.max(1, ranks), Thread.ofPlatform().daemon().name("posthouse-bench-rank-", 0).factory());
    }

    private void readRoutes() throws IOException {
        int bytesMax = in.readInt();
        for (int left = in.readInt(); left > 0; left--) {
            ranks.add(new HostedRank(ScaleRoute.read(in), bytesMax));
        }
    }

    /** The work of a rank in its thread. */
    private interface Part {
        HostedRank.Outcome of(HostedRank rank) throws IOException;
    }

    /** Has every rank do its part at once. A rank that fails ends the process: its partner would wait for ever. */
    private List<HostedRank.Outcome> all(Part part) throws InterruptedException {
        List<Callable<HostedRank.Outcome>> parts = new ArrayList<>();
        for (HostedRank rank : ranks) {
            parts.add(() -> guarded(rank, part));
        }
        List<HostedRank.Outcome> outcomes = new ArrayList<>();
        for (Future<HostedRank.Outcome> future : threads.invokeAll(parts)) {
            try {
                outcomes.add(future.get());
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
        return outcomes;
    }

    @SuppressWarnings("CatchAndPrintStackTrace") // the process ends with it, and standard error is all there is to tell
    private static HostedRank.Outcome guarded(HostedRank rank, Part part) {
        try {
            return part.of(rank);
        } catch (IOException | RuntimeException | Error e) {
            System.err.println("rank " + rank.route().rank() + " of the bench failed: " + e);
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
            throw new IllegalStateException("halted", e);
        }
    }
}

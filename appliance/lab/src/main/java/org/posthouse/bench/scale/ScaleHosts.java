package org.posthouse.bench.scale;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.install.Installation;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.mpj.RankMain;
import org.posthouse.mpj.progress.Settings;

/**
 * The processes that host the ranks of {@code bench scale}, and the driver's connections to them. Confined to the
 * driver's thread, but {@link #kill}.
 */
final class ScaleHosts implements AutoCloseable {
    /** A phase takes some hundred milliseconds; past this the ranks wait for each other. */
    private static final int ANSWER_MS_MAX = 120_000;

    private static final int START_MS_MAX = 60_000;
    private static final int MEBI = 1 << 20;
    private static final int HEAP_BYTES = 256 * MEBI;

    /** Direct memory of a connection of the library: a buffer of four frames, one of eight, and some. */
    private static final int ENDPOINT_BYTES = MEBI;

    private final List<Process> processes = new ArrayList<>();
    private final List<Line> lines = new ArrayList<>();

    /** The connection to one process, and the ranks that it hosts now. */
    private static final class Line {
        private final Socket socket;
        private final DataInputStream in;
        private final DataOutputStream out;
        private final int number;
        private List<ScaleRoute> routes = List.of();

        private Line(Socket socket) throws IOException {
            this.socket = socket;
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(ANSWER_MS_MAX);
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            number = in.readInt();
        }
    }

    /** Starts the processes of a plan, each with memory for its share of the ranks and no more. */
    static ScaleHosts start(ScalePlan plan) throws IOException, JobFailure {
        ScaleHosts hosts = new ScaleHosts();
        try (ServerSocket server = new ServerSocket(0, plan.processes(), InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < plan.processes(); i++) {
                hosts.processes.add(new ProcessBuilder(command(plan, server.getLocalPort(), i)).inheritIO().start());
            }
            server.setSoTimeout(START_MS_MAX);
            for (int i = 0; i < plan.processes(); i++) {
                hosts.lines.add(new Line(server.accept()));
            }
            hosts.lines.sort((a, b) -> Integer.compare(a.number, b.number));
            return hosts;
        } catch (IOException e) {
            hosts.close();
            throw new JobFailure("the bench's processes do not start: " + e.getMessage(), e);
        }
    }

    private static List<String> command(ScalePlan plan, int driver, int number) {
        int ranks = (plan.clients().stream().mapToInt(Integer::intValue).max().orElseThrow() + plan.processes() - 1) / plan.processes();
        long kept = plan.series().stream().filter(ScaleSeries::logged).count() * Settings.DEFAULT.keptBytesMax();
        long direct = ranks * (2L * plan.bytesMax() + (long) plan.series().size() * ENDPOINT_BYTES + kept);
        List<String> command = new ArrayList<>();
        command.add(Installation.java().toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto"));
        command.addAll(RankMain.JVM_FLAGS);
        command.add("-Xmx" + HEAP_BYTES / MEBI + "m");
        command.add("-XX:MaxDirectMemorySize=" + (direct / MEBI + 1) + "m");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ScaleHost.class.getName()));
        command.addAll(List.of(Integer.toString(driver), Integer.toString(number)));
        return command;
    }

    /** Has the ranks open their ways; each process receives its own. */
    void open(List<List<ScaleRoute>> routes, int bytesMax) throws JobFailure {
        try {
            for (Line line : lines) {
                line.routes = routes.get(line.number);
                ScaleOrder.OPEN.write(line.out);
                line.out.writeInt(bytesMax);
                line.out.writeInt(line.routes.size());
                for (ScaleRoute route : line.routes) {
                    route.write(line.out);
                }
                line.out.flush();
            }
            answers("connect");
        } catch (IOException e) {
            throw ended("while its ranks connected", e);
        }
    }

    /**
     * Has all ranks do a phase, and waits for the last of them.
     *
     * @return the outcomes of the first partners, in the order of the pairs
     * @throws JobFailure if a rank received something wrong, or a process ended
     */
    List<HostedRank.Outcome> perform(ScaleOrder order) throws JobFailure {
        try {
            for (Line line : lines) {
                order.write(line.out);
                line.out.flush();
            }
            return answers("finish " + order);
        } catch (IOException e) {
            throw ended("during " + order, e);
        }
    }

    private List<HostedRank.Outcome> answers(String what) throws IOException, JobFailure {
        List<HostedRank.Outcome> firsts = new ArrayList<>();
        for (Line line : lines) {
            try {
                for (ScaleRoute route : line.routes) {
                    HostedRank.Outcome outcome = HostedRank.Outcome.read(line.in);
                    if (!outcome.fault().isEmpty()) {
                        throw new JobFailure("wrong data: " + outcome.fault());
                    }
                    if (route.isFirst()) {
                        firsts.add(outcome);
                    }
                }
            } catch (SocketTimeoutException e) {
                throw new JobFailure(
                        "process " + line.number + " of the bench did not " + what + " within " + ANSWER_MS_MAX / 1_000 + " s", e);
            }
        }
        return firsts;
    }

    private static JobFailure ended(String when, IOException symptom) {
        return new JobFailure("a process of the bench ended " + when + ": " + symptom + "; see what it said above", symptom);
    }

    /** Ends the processes at once. For any thread. */
    void kill() {
        processes.forEach(Process::destroyForcibly);
    }

    /** Lets the processes go, and waits until they have. */
    @Override
    public void close() throws IOException {
        for (Line line : lines) {
            line.socket.close();
        }
        try {
            for (Process process : processes) {
                if (lines.isEmpty() || !process.waitFor(5, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }
}

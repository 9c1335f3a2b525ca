package org.posthouse.launch;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.place.RelayClient;
import org.posthouse.launch.remote.AgentTransport;
import org.posthouse.launch.remote.AgentPool;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Token;

/**
 * A job's connections to its relays, by their index among the job's homes. Called by the job's thread, and by the
 * threads that dial a lost relay again. Thread-safe by its own lock.
 */
public final class JobRelays implements AgentTransport, AutoCloseable {
    private static final int RANKS_NAMED_MAX = 8;

    private final JobOpen job;
    /** Null for one that there is no connection to yet. */
    private final RelayClient[] lines;

    private final Token token;
    private final Consumer<JobSignal> signals;
    /** Whether a relay that does not have the job may never have received its opening. */
    private final boolean maybeUntold;

    /** Relays whose last answer was that they do not have the job. */
    private final Set<Integer> without = new HashSet<>();

    /** Null if the job's ranks run on this host. Written by the job's thread before {@link #open}, read by any. */
    private volatile AgentPool nodes;

    private final List<RelayReconnector> redials = new ArrayList<>();
    private final List<Thread> watches = new ArrayList<>();
    /** Notice of the job's end that was sent to the relays; null before. */
    private CloseNotice end;

    private boolean closed;

    /**
     * @param job how it is opened
     * @param lines connected, and closed by this
     * @param token what the relays let a launcher in for
     * @param signals hears of events, and of relays that are lost and found
     */
    JobRelays(JobOpen job, List<RelayClient> lines, Token token, Consumer<JobSignal> signals) {
        this(job, lines, token, signals, false);
    }

    private JobRelays(JobOpen job, List<RelayClient> lines, Token token, Consumer<JobSignal> signals, boolean maybeUntold) {
        this.maybeUntold = maybeUntold;
        this.job = job;
        this.lines = lines.toArray(RelayClient[]::new);
        this.token = token;
        this.signals = signals;
    }

    /**
     * Those of a job that is open: all are lost until they are dialled.
     *
     * @param isBegun whether a rank's process was ever started. Before that, its launcher may have died before it had
     *     opened the job everywhere
     */
    static JobRelays lost(JobOpen job, Token token, Consumer<JobSignal> signals, boolean isBegun) {
        return new JobRelays(job, Collections.nCopies(job.homes().size(), null), token, signals, !isBegun);
    }

    /** Whom to tell of the job's nodes, on all connections from now on. */
    synchronized void nodes(AgentPool pool) {
        nodes = pool;
        for (int relay = 0; relay < lines.length; relay++) {
            if (lines[relay] != null) {
                lines[relay].listenAgents(pool.listener(relay));
            }
        }
    }

    @Override
    public void send(int relay, ByteBuffer frame) {
        RelayClient line = line(relay);
        if (line != null) {
            try {
                line.send(frame);
            } catch (IOException e) {
                // The connection is broken, which its reader reports. What it was about is said again on the next one.
            }
        }
    }

    @Override
    public List<AgentOffer> nodes(int relay) {
        RelayClient line = line(relay);
        try {
            return line == null || line.isLost() ? List.of() : line.nodes();
        } catch (JobFailure e) {
            return List.of(); // A relay that does not answer is treated elsewhere; it is asked again.
        }
    }

    /** Where a relay listens for ranks. */
    String address(int relay) {
        return job.homes().get(relay).address();
    }

    /** Whether nothing stands between this host and a relay; false if that is not known. */
    synchronized boolean isDirect(int relay) {
        return lines[relay] != null && lines[relay].isDirect();
    }

    /** Opens the job at every relay. @throws JobFailure naming the first that does not */
    synchronized void open() throws JobFailure {
        for (int relay = 0; relay < lines.length; relay++) {
            open(lines[relay], relay, job, CompletableFuture.completedFuture(null));
        }
    }

    /** @param announced once everybody knows that the relay is there, and so may learn that it is lost again */
    private void open(RelayClient line, int relay, JobOpen opening, CompletableFuture<Void> announced) throws JobFailure {
        line.listen(
                event -> signals.accept(new JobSignal.Event(event, System.nanoTime())),
                why -> announced.thenRun(() -> lost(relay, why, line.isRefused())));
        AgentPool told = nodes;
        if (told != null) {
            line.listenAgents(told.listener(relay));
        }
        line.open(opening);
    }

    private void lost(int relay, String why, boolean isFinal) {
        AgentPool told = nodes;
        if (told != null) {
            told.relayLost(relay);
        }
        signals.accept(new JobSignal.RelayLost(relay, why, isFinal));
    }

    /** Begins to look whether the relays answer. */
    synchronized void watch() {
        for (int index = 0; index < lines.length; index++) {
            int relay = index;
            String who = "relay " + job.homes().get(relay).relay() + " at " + address(relay);
            RelayWatch watch = new RelayWatch(
                    () -> quietNs(relay), () -> RelayClient.isUnresponsive(address(relay), token), RelayClient.ANSWER_SECONDS,
                    new RelayWatch.Listener() {
                        @Override
                        public void unresponsive(long seconds) {
                            signals.accept(new JobSignal.Unresponsive(relay, who, seconds));
                        }

                        @Override
                        public void responsive(long seconds) {
                            signals.accept(new JobSignal.Responsive(relay, who, seconds));
                        }
                    },
                    TimeUnit.SECONDS::sleep);
            watches.add(Thread.ofVirtual().name("posthouse-relay-watch-" + relay).start(watch));
        }
    }

    /** For how long nothing has come from a relay; negative if there is no connection to it. */
    private long quietNs(int relay) {
        RelayClient line = line(relay);
        return line == null || line.isLost() ? -1 : System.nanoTime() - line.heardNs();
    }

    /** Dials a lost relay again on a thread of its own, which signals the result. */
    synchronized void redial(int relay, long timeoutMs) {
        if (!closed) {
            RelayReconnector relayReconnector = new RelayReconnector(relay, withRanks(relay), timeoutMs, () -> reopen(relay), signals, System::nanoTime);
            redials.add(relayReconnector);
            Thread.ofVirtual().name("posthouse-redial-" + relay).start(relayReconnector);
        }
    }

    /** A relay and who is at home there, for people. */
    private String withRanks(int relay) {
        int[] ranks = IntStream.range(0, job.ranks()).filter(rank -> job.homeOf()[rank] == relay).toArray();
        if (ranks.length == 0) {
            return "relay " + job.homes().get(relay).relay() + ", where followers of ranks are,";
        }
        String named = Arrays.stream(ranks).limit(RANKS_NAMED_MAX).mapToObj(Integer::toString).collect(Collectors.joining(", "));
        String more = ranks.length > RANKS_NAMED_MAX ? " and " + (ranks.length - RANKS_NAMED_MAX) + " more" : "";
        return "relay " + job.homes().get(relay).relay() + ", the home of rank" + (ranks.length == 1 ? " " : "s ") + named + more + ",";
    }

    /** Connects to a lost relay, opens the job there again and signals it. @return why it cannot; null if it has */
    private RelayReconnector.Refusal reopen(int relay) {
        RelayReconnector.Refusal refusal = reopen(relay, job.comingBack());
        if (refusal == null || refusal.by() != RelayReconnector.Refusal.By.RELAY_WITHOUT_JOB) {
            return refusal;
        }
        if (maybeUntold) {
            return reopen(relay, job);
        }
        lacks(relay);
        return refusal;
    }

    private synchronized void lacks(int relay) {
        without.add(relay);
    }

    private RelayReconnector.Refusal reopen(int relay, JobOpen opening) {
        String address = address(relay);
        try {
            RelayClient line = RelayClient.connect(address, token);
            String expected = job.homes().get(relay).relay();
            if (!line.home().relay().equals(expected)) {
                line.close();
                return new RelayReconnector.Refusal("relay " + line.home().relay() + " answers at " + address + ", and relay " + expected
                        + " is expected: start each relay with the --listen that it had", RelayReconnector.Refusal.By.ANOTHER_RELAY);
            }
            CompletableFuture<Void> announced = new CompletableFuture<>();
            try {
                open(line, relay, opening, announced);
            } catch (JobFailure e) {
                line.close();
                return new RelayReconnector.Refusal(e.getMessage(), by(line));
            }
            replace(relay, line);
            signals.accept(new JobSignal.RelayBack(relay, line.home().relay()));
            announced.complete(null);
            AgentPool told = nodes;
            if (told != null) {
                told.relayBack(relay);
            }
            return null;
        } catch (JobFailure e) {
            return new RelayReconnector.Refusal(e.getMessage(), by(e.kind()));
        }
    }

    private static RelayReconnector.Refusal.By by(JobFailure.Kind kind) {
        return switch (kind) {
            case EARLY -> RelayReconnector.Refusal.By.RELAY_AT_START;
            case STRANGER -> RelayReconnector.Refusal.By.ANOTHER_RELAY;
            case OTHER -> RelayReconnector.Refusal.By.NOBODY;
        };
    }

    private static RelayReconnector.Refusal.By by(RelayClient line) {
        if (line.isLogDamaged()) {
            return RelayReconnector.Refusal.By.RELAY_WITHOUT_LOG;
        }
        return line.isJobUnknown() ? RelayReconnector.Refusal.By.RELAY_WITHOUT_JOB : line.isRefused() ? RelayReconnector.Refusal.By.RELAY
                : RelayReconnector.Refusal.By.NOBODY;
    }

    private synchronized void replace(int relay, RelayClient line) {
        if (end != null) {
            line.closeJob(end);
        }
        if (closed) {
            line.close();
        } else {
            if (lines[relay] != null) {
                lines[relay].close();
            }
            lines[relay] = line;
            without.remove(relay);
        }
    }

    /** Tells a rank's relay, if there is a connection to it; one that comes later asks again. */
    synchronized void kept(JobKept kept) {
        RelayClient line = lines[job.homeOf()[kept.rank()]];
        if (line != null) {
            line.kept(kept);
        }
    }

    /** Tells a rank's relay that its process has ended, if there is a connection to it. */
    synchronized void rankFailed(RankFailed failed) {
        RelayClient line = lines[job.homeOf()[failed.rank()]];
        if (line != null) {
            line.rankFailed(failed);
        }
    }

    /** Has the relays that are connected ask their ranks for checkpoints. */
    synchronized void askForCheckpoints() {
        present().forEach(line -> line.askForCheckpoints(job.job()));
    }

    private synchronized List<RelayClient> present() {
        return Arrays.stream(lines).filter(Objects::nonNull).toList();
    }

    /** Asks every relay to end the job. */
    synchronized void closeJob(CloseNotice why) {
        end = why;
        present().forEach(line -> line.closeJob(why));
    }

    /**
     * Waits until every relay that can be reached has sent all reports and closed the job, each for so long at most.
     *
     * @return the relays that may still have it
     */
    List<HomeRelay> awaitClosed(long timeoutMs) throws InterruptedException {
        List<HomeRelay> untold = new ArrayList<>();
        for (int relay = 0; relay < lines.length; relay++) {
            RelayClient line = line(relay);
            boolean told = line != null && (line.isNotOpened() || line.awaitClosed(timeoutMs));
            if (!told && !isWithout(relay)) {
                untold.add(job.homes().get(relay));
            }
        }
        return untold;
    }

    /** The connection to a relay; null if there is none. */
    synchronized RelayClient line(int relay) {
        return lines[relay];
    }

    private synchronized boolean isWithout(int relay) {
        return without.contains(relay);
    }

    @Override
    public synchronized void close() {
        closed = true;
        redials.forEach(RelayReconnector::stop);
        watches.forEach(Thread::interrupt);
        present().forEach(RelayClient::close);
    }
}

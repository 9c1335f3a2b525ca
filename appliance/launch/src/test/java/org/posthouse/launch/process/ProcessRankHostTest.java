package org.posthouse.launch.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.folder.InputSink;
import org.posthouse.launch.folder.JobRecords;
import org.posthouse.launch.folder.OutputJournals;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.wire.Durability;
import org.posthouse.wire.OutputPoint;
import org.posthouse.wire.Token;

/** Processes that lead and follow, with others in place of real ones, which end when the test says so. */
class ProcessRankHostTest {
    private final BlockingQueue<JobSignal> signals = new LinkedBlockingQueue<>();

    /** By their numbers. */
    private final Map<Integer, HeldProcess> processes = new HashMap<>();

    /** The numbers of those whose end was waited for. */
    private final Set<Integer> awaited = ConcurrentHashMap.newKeySet();

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final RankOutput output = RankOutput.tagged(1, new PrintStream(shown), new PrintStream(new ByteArrayOutputStream()));
    private final ProcessRankHost host = host();

    /** By their numbers, what processes print on standard output. */
    private final Map<Integer, String> printed = new HashMap<>();

    private ProcessRankHost host() {
        JobSpec spec = new JobSpec("test", 1, List.of(), "Main", List.of(), List.of(), Map.of(), Durability.PROCESS, RestartPolicy.DEFAULT);
        OutputJournals tapes = OutputJournals.of(1, true, signals::add);
        JobRecords records = new JobRecords(1, true, null, tapes, signals::add, output::tell);
        return new ProcessRankHost(
                spec, new Token(1, 2), new Starter(), (rank, incarnation) -> new RelayEndpointAddress("127.0.0.1:1", new Token(1, 2), false), output, tapes,
                null, records,
                signals::add);
    }

    @Test
    void endOfAllProcessesIsAwaitedAlsoOfFollowersAndOfLeadersThatWereReplaced() throws Exception {
        host.start(0, 1);
        host.follow(0, 2);
        host.follow(0, 4);
        host.lead(0, 2);
        host.kill();
        assertThat(processes.values()).allMatch(process -> process.isKilled);
        host.awaitExits(1);
        assertThat(awaited).containsExactlyInAnyOrder(1, 2, 4);
        awaited.clear();
        ends(1);
        ends(4);
        host.awaitExits(1);
        assertThat(awaited).doesNotContain(4).contains(2);
        ends(2);
    }

    @Test
    void endOfAFollowerSaysWhereItRan() throws Exception {
        host.start(0, 1);
        host.follow(0, 2);
        assertThat(ends(2)).isEqualTo(new JobSignal.Exited(0, 2, 137, ((JobSignal.Exited) last).endedNs(), " on node 2", ""));
        assertThat(((JobSignal.Exited) ends(1)).where()).as("the leader's is known").isEmpty();
    }

    /** Its end is not told before its leader has printed as much. */
    @Test
    void followerThatHasEndedWellLeadsIfItsLeaderHasPrintedLess() throws Exception {
        printed.put(1, "one\n");
        printed.put(2, "one\ntwo\n");
        host.start(0, 1);
        host.follow(0, 2);
        processes.get(2).status = 0;
        processes.get(2).end.countDown();
        assertThat(((JobSignal.Exited) ends(1)).process()).isEqualTo(1);
        assertThat(host.lead(0, 2)).isTrue();
        assertThat(((JobSignal.Exited) signals.poll(10, TimeUnit.SECONDS)).process()).isEqualTo(2);
        host.finishOutput(0, true);
        output.close(10_000);
        assertThat(shown.toString(StandardCharsets.UTF_8)).isEqualTo("[0] one\n[0] two\n");
    }

    @Test
    void endOfAFollowerThatHasEndedWellIsToldWhenItsLeaderHasPrintedAsMuchOrIsNotAwaited() throws Exception {
        printed.put(1, "one\n");
        printed.put(2, "one\n");
        printed.put(4, "one\ntwo\n");
        host.start(0, 1);
        host.follow(0, 2);
        host.follow(0, 4);
        processes.get(2).status = 0;
        processes.get(4).status = 0;
        assertThat(((JobSignal.Exited) ends(2)).process()).isEqualTo(2);
        assertThat(host.lead(0, 2)).isFalse();
        processes.get(4).end.countDown();
        host.kill();
        assertThat(((JobSignal.Exited) signals.poll(10, TimeUnit.SECONDS)).process()).isEqualTo(4);
        ends(1);
    }

    private JobSignal last;

    private JobSignal ends(int process) throws InterruptedException {
        processes.get(process).end.countDown();
        last = signals.poll(10, TimeUnit.SECONDS);
        return last;
    }

    private final class Starter implements ProcessStarter {
        @Override
        public StartedProcess start(ProcessRequest request) {
            HeldProcess process = new HeldProcess(request.incarnation());
            processes.put(request.incarnation(), process);
            return process;
        }

        @Override
        public Optional<StartedProcess> adopt(ProcessRequest request) {
            return Optional.empty();
        }

        @Override
        public StopWatch limitStops(Supplier<List<? extends StoppedRanks.Watched>> present, int seconds, Consumer<String> tell) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    /** It ends when its latch is open. */
    private final class HeldProcess implements StartedProcess {
        private final int number;
        private final CountDownLatch end = new CountDownLatch(1);
        private boolean isKilled;

        /** Written by the test before {@link #end}, read behind it. */
        private int status = 137;

        private HeldProcess(int number) {
            this.number = number;
        }

        @Override
        public InputStream output() {
            return new ByteArrayInputStream(printed.getOrDefault(number, "").getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public InputStream error() {
            return InputStream.nullInputStream();
        }

        @Override
        public InputSink input() {
            return null;
        }

        @Override
        public OutputPoint begins(boolean isErr) {
            return new OutputPoint(0, 0, 0);
        }

        @Override
        public void kept(boolean isErr, OutputPoint upTo) {}

        @Override
        public long pid() {
            return number;
        }

        @Override
        public String where() {
            return " on node " + number;
        }

        @Override
        public String node() {
            return "" + number;
        }

        @Override
        public boolean isAlive() {
            return end.getCount() > 0;
        }

        @Override
        public int await() throws InterruptedException {
            end.await();
            return status;
        }

        @Override
        public boolean awaitExit(long timeoutMs) throws InterruptedException {
            awaited.add(number);
            return end.await(timeoutMs, TimeUnit.MILLISECONDS);
        }

        @Override
        public void endStragglers() {}

        @Override
        public void kill() {
            isKilled = true;
        }

        @Override
        public void killAll() {
            isKilled = true;
        }
    }
}

package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RankStreams;
import org.posthouse.launch.job.Replicas;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.job.RestartPolicy;
import org.posthouse.wire.Durability;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.FailureMode;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.RankFailed;

/** A job of two ranks for tests of its supervision, on fake time and without a process. */
abstract class SupervisedJob {
    static final int KILLED = 137;
    static final long JOB = 7;

    /** Each process that was started, as rank/incarnation, and each rank whose output was finished, as rank:well. */
    final List<String> done = new ArrayList<>();

    /** Each rank that was recorded as done. */
    final List<Integer> recordedDone = new ArrayList<>();

    final List<String> told = new ArrayList<>();

    /** Each relay that was dialled again; rank 0 is at home at relay 0, rank 1 at relay 1. */
    final List<Integer> redialled = new ArrayList<>();

    final List<JobKept> kept = new ArrayList<>();
    final List<RankFailed> failed = new ArrayList<>();
    boolean refuses;

    /** Why no process can be started; null if one can. */
    String unable;

    long nowNs = Long.MAX_VALUE - 1_000_000;

    boolean knowsMarks;
    Replicas replicas = Replicas.NONE;

    /** Whether a process that is to lead has ended. */
    boolean isEnding;

    /** Whether processes outlive their launcher. */
    boolean outlives;

    /** For each rank, the number of the process that leads. */
    final int[] leader = new int[2];

    /** Where ranks run, as the end of a sentence. */
    String where = "";

    private final RankHost host = new RankHost() {
        @Override
        public void caughtUp(Restart restart) {
            // Its parts are the timings' subject.
        }

        @Override
        public String node(int rank) {
            return "";
        }

        @Override
        public String where(int rank) {
            return where;
        }

        @Override
        public boolean follow(int rank, int process) throws JobFailure {
            if (unable != null) {
                throw new JobFailure("rank " + rank + " cannot be started: " + unable);
            }
            done.add(rank + "/" + process + " follows");
            return !refuses;
        }

        @Override
        public boolean lead(int rank, int process) {
            if (!isEnding) {
                done.add(rank + "/" + process + " leads");
                leader[rank] = process;
            }
            return !isEnding;
        }

        @Override
        public void endFollower(int rank, int process) {
            done.add(rank + "/" + process + " is ended");
        }

        @Override
        public String whereFollower(int rank, int process) {
            return where;
        }

        @Override
        public boolean adopt(int rank, int incarnation) {
            if (outlives) {
                leader[rank] = incarnation;
                done.add(rank + "/" + incarnation + " goes on");
            }
            return outlives;
        }

        @Override
        public void kept(JobSignal.OutputKept kept) {
            done.add(kept.rank() + " kept to " + kept.upTo().position());
        }

        @Override
        public boolean start(int rank, int incarnation) throws JobFailure {
            if (unable != null) {
                throw new JobFailure("rank " + rank + " cannot be started: " + unable);
            }
            done.add(rank + "/" + incarnation);
            leader[rank] = incarnation;
            return !refuses;
        }

        @Override
        public long pid(int rank) {
            return 100L + rank;
        }

        @Override
        public void finishOutput(int rank, boolean well) {
            done.add(rank + ":" + well);
        }

        @Override
        public List<JobStatusReport.RankRun> present() {
            return List.of();
        }

        @Override
        public void limitStops(int seconds) {}

        @Override
        public int strike(int rank) {
            done.add("strike " + rank);
            return 0;
        }

        @Override
        public void kill(IntPredicate whose) {}

        @Override
        public void kill() {}

        @Override
        public void awaitExits(long timeoutMs) {}

        @Override
        public void awaitOutput() {}

        @Override
        public void close() {}
    };

    private final RankRecords records = new RankRecords() {
        @Override
        public void done(int rank) {
            recordedDone.add(rank);
        }

        @Override
        public boolean checkpointed(int rank, int image, long outBytes, long errBytes) {
            told.add("rank " + rank + " image " + image + " at " + outBytes + ", " + errBytes);
            return !knowsMarks;
        }

        @Override
        public void saves(int rank, int incarnation, long outBytes, long errBytes) {
            told.add("process " + incarnation + " of rank " + rank + " saves at " + outBytes + ", " + errBytes);
        }

        @Override
        public void outputKept(JobSignal.OutputKept kept) {
            told.add("output of rank " + kept.rank() + " is durable");
        }

        @Override
        public void limited(int rank, String why) {
            told.add("rank " + rank + " is limited: " + why);
        }

        @Override
        public void placed(JobSignal.Placed place) {
            told.add("rank " + place.rank() + " mark " + place.mark() + " at " + place.place().line());
        }

        @Override
        public void keepPlaces() {
            told.add("places are kept, and " + kept.size() + " answers given");
        }
    };

    JobSupervisor watch(boolean logged, int maxRestarts, boolean mayBeLeft) {
        return watch(logged, new RestartPolicy(maxRestarts, 60_000), mayBeLeft);
    }

    /** Of a job whose program is told of deaths, and goes on. */
    JobSupervisor watchTellingProgram() {
        return watch(false, new RestartPolicy(0, 0, 0, 0, FailureMode.BLANK), false);
    }

    /** The same of a logged job, of ranks that are started again first. */
    JobSupervisor watchTellingProgram(int maxRestarts) {
        return watch(true, new RestartPolicy(maxRestarts, 60_000, 0, 0, FailureMode.RESTART_SHRINK), false);
    }

    JobSupervisor watchRebuilding(int newProcesses) {
        return watch(false, new RestartPolicy(newProcesses, 0, 0, 0, FailureMode.REBUILD), false);
    }

    private JobSupervisor watch(boolean logged, RestartPolicy restartPolicy, boolean mayBeLeft) {
        JobSpec spec = new JobSpec(
                "test", 2, List.of(), "Main", List.of(), List.of(), Map.of(), logged ? Durability.PROCESS : Durability.NONE, restartPolicy,
                RankStreams.DEFAULT, replicas);
        return new JobSupervisor(spec, JOB, mayBeLeft, new int[] {0, 1}, host, records, redialled::add, kept::add, failed::add, told::add);
    }

    JobSupervisor start(boolean logged, int maxRestarts) throws JobFailure {
        return started(watch(logged, maxRestarts, false));
    }

    private JobSupervisor started(JobSupervisor watch) throws JobFailure {
        watch.start(0, nowNs);
        watch.start(1, nowNs);
        assertThat(done).containsExactly("0/1", "1/1");
        done.clear();
        return watch;
    }

    JobSupervisor running(boolean logged, int maxRestarts) throws JobFailure {
        return connected(watch(logged, maxRestarts, false));
    }

    /** Both ranks are started, and connect. */
    JobSupervisor connected(JobSupervisor watch) throws JobFailure {
        started(watch);
        told(watch, 0, JobEvent.CONNECTED);
        told(watch, 1, JobEvent.CONNECTED);
        return watch;
    }

    void told(JobSupervisor watch, int rank, int kind) throws JobFailure {
        told(watch, new JobEvent(JOB, kind, rank, 0, "so says the relay"));
    }

    void told(JobSupervisor watch, JobEvent event) throws JobFailure {
        watch.on(new JobSignal.Event(event, nowNs), nowNs);
        watch.onTime(nowNs);
    }

    void exited(JobSupervisor watch, int rank, int status) throws JobFailure {
        watch.on(new JobSignal.Exited(rank, leader[rank], status, nowNs, "", ""), nowNs);
        watch.onTime(nowNs);
    }

    void pass(long ms) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ms);
    }

    /** Lets the time pass that the watch waits for, and no more. @return how long that was */
    long quiet(JobSupervisor watch) throws JobFailure {
        long quietNs = watch.quietNs(nowNs);
        assertThat(quietNs).as("something is to be done").isNotEqualTo(JobTimers.FOR_EVER);
        nowNs += quietNs - 1;
        watch.onTime(nowNs);
        assertThat(watch.hasFailed()).isFalse();
        assertThat(watch.quietNs(nowNs)).isEqualTo(1);
        nowNs++;
        watch.onTime(nowNs);
        return TimeUnit.NANOSECONDS.toMillis(quietNs);
    }

    /** The job's end, which has come. */
    JobOutcome end(JobSupervisor watch) {
        assertThat(watch.isOver()).isTrue();
        CloseNotice why = watch.close();
        JobOutcome outcome = watch.outcome(1);
        assertThat(why).isEqualTo(new CloseNotice(JOB, outcome.status(), -1, outcome.isSuccess() ? "finished" : outcome.cause()));
        return outcome;
    }

    void leave(JobSupervisor watch, int rank) throws JobFailure {
        told(watch, rank, JobEvent.FINALIZED);
        exited(watch, rank, 0);
    }
}

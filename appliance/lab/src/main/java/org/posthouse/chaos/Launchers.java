package org.posthouse.chaos;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.folder.JobFolder;
import org.posthouse.launch.install.LauncherProcess;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.job.JobStatusReport;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.place.PlacementRequest;

/**
 * One job whose launchers are processes: {@code posthouse run --folder}, and for each that is killed {@code posthouse resume}. The
 * thread that calls {@link #run} starts them; what they tell is guarded by itself.
 *
 * <p>A kill does not count if the job had not begun, so that it is begun anew, or was over, so that there is nothing to resume.
 */
final class Launchers implements RunningJob, LauncherProcess.Listener {
    private static final long UNKNOWN = -1;

    private final JobSpec job;
    private final PlacementRequest placementRequest;
    private final Path above;
    private final Transcript transcript;
    private final OutputCheck outputCheck;
    private final CountDownLatch open = new CountDownLatch(1);
    private final CountDownLatch connected = new CountDownLatch(1);
    private final long startNs = System.nanoTime();

    private final List<LauncherKill> kills = new ArrayList<>();
    private final List<Restart> restarts = new ArrayList<>();
    private final List<RelayLoss> losses = new ArrayList<>();
    private final List<String> divergences = new ArrayList<>();
    private final List<String> printedOther = new ArrayList<>();
    private Path folder;
    private int folders;
    /** Null before the first. */
    private LauncherProcess present;

    private JobStatusReport standing = JobStatusReport.UNTOLD;
    private String lastError = "";
    private boolean stopped;
    private boolean killed;
    /** End of the job by this object; null if it was not ended here. */
    private JobStatusReport.End ended;

    /** Whether the present launcher was killed from here. */
    private boolean isStruck;

    /** Whether the last kill counts so far, and what is known of its consequences. */
    private boolean isOpen;

    private long struckNs;
    private long toldNs;
    private long jobNs;
    private long ranksNs;

    /** @param above where the job's folder is made */
    Launchers(JobSpec job, PlacementRequest placementRequest, Path above, Transcript transcript) {
        this.job = job;
        this.placementRequest = placementRequest;
        this.above = above;
        this.transcript = transcript;
        this.outputCheck = new OutputCheck(job.ranks());
    }

    /** Runs the job to its end, under as many launchers as it takes. */
    JobOutcome run() throws JobFailure, InterruptedException {
        try {
            Optional<JobStatusReport.End> end = start(beginning()) ? awaitEnd() : Optional.empty();
            while (end.isEmpty() && start(next())) {
                end = awaitEnd();
            }
            return outcome(end);
        } finally {
            open.countDown();
            connected.countDown();
            kill();
        }
    }

    private List<String> beginning() {
        synchronized (this) {
            folders++;
            folder = above.resolve("job-" + folders);
        }
        List<String> words = new ArrayList<>(List.of(
                "run", "-n", Integer.toString(job.ranks()), "--sites", Integer.toString(placementRequest.sites()), "--relays-per-site",
                Integer.toString(placementRequest.relaysPerSite()), "--durability", job.durability().word(), "--max-restarts",
                Integer.toString(job.patience().maxRestarts()), "--relay-timeout",
                Long.toString(TimeUnit.MILLISECONDS.toSeconds(job.patience().relayTimeoutMs())), "--folder", folder.toString(), "-cp",
                job.classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator))));
        placementRequest.addresses().forEach(relay -> words.addAll(List.of("--relay", relay)));
        job.jvmFlags().forEach(flag -> words.addAll(List.of("--jvm", flag)));
        words.add(job.name());
        words.addAll(job.arguments());
        return words;
    }

    /** The launcher was killed. */
    private List<String> next() {
        if (JobFolder.isOne(folder)) {
            return List.of("resume", folder.toString());
        }
        forgetKill();
        return beginning();
    }

    private synchronized boolean start(List<String> words) throws JobFailure {
        if (killed) {
            return false;
        }
        standing = JobStatusReport.UNTOLD;
        isStruck = false;
        present = LauncherProcess.start(words, job.environment(), this);
        return true;
    }

    /** @return the end of the job; empty if its launcher was killed before it */
    private Optional<JobStatusReport.End> awaitEnd() throws JobFailure, InterruptedException {
        int status = present.await();
        synchronized (this) {
            restarts.addAll(standing.restarts());
            losses.addAll(standing.relayLosses());
            divergences.addAll(standing.divergences());
            printedOther.addAll(standing.printedOther());
            if (ended != null) {
                return Optional.of(ended);
            }
            if (!isStruck || !present.wasKilled()) {
                isOpen &= !isStruck;
                JobStatusReport.End told = standing.end();
                return Optional.of(told == null ? new JobStatusReport.End(status, "its launcher ended: " + lastError.strip(), false) : told);
            }
        }
        Optional<JobStatusReport.End> over = JobFolder.end(folder);
        if (over.isPresent()) {
            forgetKill();
        }
        return over;
    }

    private synchronized JobOutcome outcome(Optional<JobStatusReport.End> end) throws JobFailure, InterruptedException {
        closeKill();
        JobStatusReport.End last = end.orElse(ended == null ? new JobStatusReport.End(1, "it was interrupted", true) : ended);
        if (JobFolder.isOne(folder) && JobFolder.end(folder).isEmpty()) {
            endAtRelays();
        }
        return new JobOutcome(
                last.status(), last.cause(), last.left(), (System.nanoTime() - startNs) / 1e9, List.copyOf(restarts), List.copyOf(losses),
                List.copyOf(divergences), List.copyOf(printedOther));
    }

    /** The relays are for other runs, too. */
    private void endAtRelays() throws InterruptedException {
        try (JobFolder left = JobFolder.open(folder)) {
            JobRun.end(left, placementRequest.token());
        } catch (JobFailure e) {
            err("posthouse: the job was left at its relays: " + e.getMessage() + "\n");
        }
    }

    /**
     * The fault in the shown output of a job that has ended well; empty if there is none. Output that was kept and not
     * shown is in the transcript then, too.
     */
    synchronized String compareShown() throws JobFailure {
        List<List<String>> kept = new ArrayList<>();
        for (int rank = 0; rank < job.ranks(); rank++) {
            kept.add(JobFolder.shown(folder, rank, "out"));
        }
        return outputCheck.compare(kept, kills.size(), line -> transcript.onLine(line, true));
    }

    /** kill -9 of the present launcher, as an accident; nothing if there is none, or it has been killed already. */
    synchronized void strikeLauncher() {
        if (present != null && !killed && !isStruck && present.strike()) {
            closeKill();
            isStruck = true;
            isOpen = true;
            struckNs = System.nanoTime();
            toldNs = UNKNOWN;
            jobNs = UNKNOWN;
            ranksNs = UNKNOWN;
        }
    }

    private synchronized void forgetKill() {
        isOpen = false;
    }

    private void closeKill() {
        if (isOpen) {
            int ranks = (int) standing.restarts().stream().filter(Restart::lostLauncher).count();
            kills.add(new LauncherKill(struckNs - startNs, toldNs, jobNs, ranks, ranksNs));
            isOpen = false;
        }
    }

    /** The launchers that were killed, once the job is over. */
    synchronized List<LauncherKill> kills() {
        return List.copyOf(kills);
    }

    @Override
    public synchronized void told(JobStatusReport now) {
        standing = now;
        open.countDown(); // A launcher tells nothing before: until then it ends for want of a relay, and later dials it again.
        if (now.connected()) {
            connected.countDown();
        }
        if (isStruck || !isOpen) {
            return;
        }
        long ns = System.nanoTime() - struckNs;
        toldNs = toldNs == UNKNOWN ? ns : toldNs;
        if (jobNs == UNKNOWN && now.hasJob()) {
            jobNs = ns - toldNs;
        }
        if (ranksNs == UNKNOWN && now.hasJob() && now.behind() == 0) {
            ranksNs = ns - toldNs - jobNs;
        }
    }

    @Override
    public synchronized void out(String line) {
        outputCheck.onLine(line);
        transcript.onLine(line, true);
    }

    @Override
    public synchronized void err(String line) {
        lastError = line;
        transcript.onLine(line, false);
    }

    @Override
    public synchronized int strike(int rank) {
        return standing.processes().stream()
                .filter(process -> process.rank() == rank && present.strikeChild(process.pid()))
                .map(JobStatusReport.RankRun::incarnation)
                .findFirst()
                .orElse(0);
    }

    @Override
    public void awaitOpen() throws InterruptedException {
        open.await();
    }

    @Override
    public void awaitConnected() throws InterruptedException {
        connected.await();
    }

    @Override
    public void stop(int status, String why) {
        synchronized (this) {
            stopped = true;
            ended = new JobStatusReport.End(status, why, false);
        }
        kill();
    }

    @Override
    public synchronized void leave(int status, String why) {
        stopped = true;
    }

    @Override
    public synchronized boolean isStopped() {
        return stopped;
    }

    /** Its ranks end with it. */
    @Override
    public synchronized void kill() {
        killed = true;
        if (present != null) {
            present.strike();
        }
    }
}

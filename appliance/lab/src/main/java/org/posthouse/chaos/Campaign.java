package org.posthouse.chaos;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.faults.AgentKill;
import org.posthouse.faults.FaultInjector;
import org.posthouse.faults.KillTarget;
import org.posthouse.faults.PlannedKill;
import org.posthouse.faults.RankKill;
import org.posthouse.faults.RelayKill;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.output.RankOutput;
import org.posthouse.logstore.file.TemporaryFolder;

/**
 * Runs a job without kills to learn its duration, then again and again with kills, until they are used up. A failed run
 * is shown whole and the campaign continues. A kill that came after the process's own end does not count. Confined to
 * one thread.
 */
public final class Campaign {
    /** So many runs in a row that no kill hits: the job is too short. */
    private static final int RUNS_UNHIT_MAX = 10;

    private final CampaignPlan plan;
    private final PrintStream out;
    private final Consumer<RunningJob> watch;
    private final List<KillOutcome> fates = new ArrayList<>();
    private final List<FollowerKillOutcome> followerFates = new ArrayList<>();
    private final List<RelayKillOutcome> relayFates = new ArrayList<>();
    private final List<AgentKillOutcome> agentFates = new ArrayList<>();
    private final List<LauncherKillOutcome> launcherFates = new ArrayList<>();
    private ReplicaTotals replicas = ReplicaTotals.NONE;
    private Baseline baseline;
    private int runs;
    private int failedRuns;
    private String lostRelay = "";

    /**
     * @param out receives a line for each kill, and all output of a failed run
     * @param watch receives each job before it runs, so that an interrupt can end it
     */
    public Campaign(CampaignPlan plan, PrintStream out, Consumer<RunningJob> watch) {
        this.plan = plan;
        this.out = out;
        this.watch = watch;
    }

    /** Runs it all, or until a user ends it. @throws JobFailure if the job does not even verify without kills, or cannot be started, or a user ended that run */
    public CampaignReport run() throws JobFailure, InterruptedException {
        baseline = measure();
        out.printf(
                Locale.ROOT, "without kills: %.2f s, of which %.2f s until every rank has called Init; seed %d%n",
                baseline.totalMs() / 1e3, baseline.connectedMs() / 1e3, plan.seed());
        int unhit = 0;
        int unhitFailed = 0;
        while (killed() < plan.kills() && unhit < RUNS_UNHIT_MAX && lostRelay.isEmpty()) {
            int before = killed();
            int failedBefore = failedRuns;
            runs++;
            Optional<CampaignRun> run = execute(plan.strikes(runs, hit(), baseline));
            if (run.isEmpty()) {
                return report("interrupted in run " + runs);
            }
            note(run.get());
            unhit = killed() > before ? 0 : unhit + 1;
            unhitFailed = unhit == 0 ? 0 : unhitFailed + failedRuns - failedBefore;
        }
        String why = unhit == 0 ? "" : unhit(unhitFailed, baseline.totalMs());
        return report(lostRelay.isEmpty() ? why : lostRelay);
    }

    private CampaignReport report(String unhit) {
        return new CampaignReport(plan, baseline, runs, failedRuns, fates, followerFates, relayFates, agentFates, launcherFates, replicas, unhit, lostRelay);
    }

    /** Why there are no more kills. @param failed number of those runs that did not end well */
    static String unhit(int failed, long totalMs) {
        String what = RUNS_UNHIT_MAX + " runs in a row were over before a kill";
        return failed > 0 ? what + ", " + failed + " of them as they failed" : what + ": give the job more to do, it takes " + totalMs + " ms";
    }

    private int killed() {
        return fates.size() + followerFates.size() + relayFates.size() + agentFates.size() + launcherFates.size();
    }

    private List<KillTarget> hit() {
        List<KillTarget> hit = new ArrayList<>(Collections.nCopies(fates.size(), KillTarget.RANK));
        hit.addAll(Collections.nCopies(followerFates.size(), KillTarget.FOLLOWER));
        hit.addAll(Collections.nCopies(relayFates.size(), KillTarget.RELAY));
        hit.addAll(Collections.nCopies(agentFates.size(), KillTarget.AGENT));
        hit.addAll(Collections.nCopies(launcherFates.size(), KillTarget.LAUNCHER));
        return hit;
    }

    private Baseline measure() throws JobFailure, InterruptedException {
        CampaignRun run = execute(List.of()).orElseThrow(() -> new JobFailure("the campaign was interrupted in its run without kills"));
        String wrong = run.wrong(run.transcript().outLines());
        if (!wrong.isEmpty()) {
            run.transcript().print(out);
            throw new JobFailure("the job fails without a kill: " + wrong);
        }
        return baseline(run);
    }

    private static Baseline baseline(CampaignRun run) {
        long totalMs = (long) (run.outcome().seconds() * 1e3);
        return new Baseline(totalMs, Math.min(totalMs, TimeUnit.NANOSECONDS.toMillis(run.connectedNs())), run.transcript().outLines());
    }

    private void note(CampaignRun run) {
        lostRelay = run.lostRelay();
        String wrong = run.wrong(baseline.outLines());
        replicas = replicas.plus(run.outcome());
        if (wrong.isEmpty() && run.isUndisturbed()) {
            baseline = baseline.shorter(baseline(run));
        }
        if (!wrong.isEmpty()) {
            failedRuns++;
            run.transcript().print(out);
            out.println("run " + runs + " of seed " + plan.seed() + " FAILED: " + wrong);
        }
        noteRanks(run, wrong.isEmpty());
        noteRelays(run, wrong.isEmpty());
        for (AgentKill kill : run.faults().agents()) {
            if (kill.ranks() > 0 || !wrong.isEmpty()) {
                agentFates.add(new AgentKillOutcome(runs, kill, run.outcome().restarts().size(), wrong.isEmpty()));
                out.println(agentFates.getLast().words());
            }
        }
        for (LauncherKill kill : run.launcherKills()) {
            launcherFates.add(new LauncherKillOutcome(runs, kill, wrong.isEmpty()));
            out.println(launcherFates.getLast().words());
        }
    }

    private void noteRanks(CampaignRun run, boolean isVerified) {
        for (RankKill kill : run.faults().ranks()) {
            Restart restart = run.restart(kill);
            PromotionAfterKill leads = run.promotion(kill);
            if (restart != null || leads != null || !isVerified) {
                fates.add(new KillOutcome(runs, kill, restart, leads, isVerified));
                out.println(fates.getLast().words());
            }
        }
        for (RankKill kill : run.faults().followers()) {
            if (run.isNoticed(kill) || !isVerified) {
                followerFates.add(new FollowerKillOutcome(runs, kill, run.isLost(kill), isVerified));
                out.println(followerFates.getLast().words());
            }
        }
    }

    private void noteRelays(CampaignRun run, boolean isVerified) {
        List<RelayLoss> losses = new ArrayList<>(run.outcome().relayLosses());
        for (RelayKill kill : run.faults().relays()) {
            RelayLoss loss = losses.stream().filter(one -> one.relay().equals(kill.relay())).findFirst().orElse(null);
            losses.remove(loss);
            if (loss != null || !isVerified || run.isUntold(kill)) {
                relayFates.add(new RelayKillOutcome(runs, kill, loss, isVerified));
                out.println(relayFates.getLast().words());
            }
        }
    }

    private long runSecondsMax() {
        return baseline == null ? plan.runSecondsMax() : plan.runSecondsMax(baseline);
    }

    /** Empty if a user has ended it. */
    private Optional<CampaignRun> execute(List<PlannedKill> strikes) throws JobFailure, InterruptedException {
        if (strikes.stream().anyMatch(strike -> strike.whose() == KillTarget.LAUNCHER)) {
            try (TemporaryFolder folder = TemporaryFolder.make("posthouse-chaos-")) {
                return executeUnderProcesses(strikes, folder.path());
            } catch (IOException e) {
                throw new JobFailure("the job's folder cannot be made, or removed: " + Causes.text(e), e);
            }
        }
        int ranks = plan.job().ranks();
        Transcript transcript = new Transcript();
        JobRun job = JobRun.prepare(plan.job(), plan.reach(), RankOutput.tagged(ranks, transcript.out(), transcript.err()));
        watch.accept(job);
        try (FaultInjector faultInjector = FaultInjector.begin(job, ranks, plan.relays(), plan.agents(), strikes, runSecondsMax())) {
            JobOutcome outcome = job.run();
            if (faultInjector.isInterrupted()) {
                return Optional.empty();
            }
            faultInjector.close(); // A relay that was killed is up again, and counted.
            return Optional.of(run(outcome, transcript, "", faultInjector, List.of()));
        }
    }

    /** Under launchers that may be killed. */
    private Optional<CampaignRun> executeUnderProcesses(List<PlannedKill> strikes, Path folder) throws JobFailure, InterruptedException {
        Transcript transcript = new Transcript();
        Launchers job = new Launchers(plan.job(), plan.reach(), folder, transcript);
        watch.accept(job);
        try (FaultInjector faultInjector = FaultInjector.begin(
                job, plan.job().ranks(), plan.relays(), plan.agents(), job::strikeLauncher, strikes, runSecondsMax())) {
            JobOutcome outcome = job.run();
            if (faultInjector.isInterrupted()) {
                return Optional.empty();
            }
            faultInjector.close();
            String shownWrong = outcome.isSuccess() ? job.compareShown() : "";
            return Optional.of(run(outcome, transcript, shownWrong, faultInjector, job.kills()));
        }
    }

    private static CampaignRun run(
            JobOutcome outcome, Transcript transcript, String shownWrong, FaultInjector faultInjector, List<LauncherKill> launcherKills) {
        return new CampaignRun(
                outcome, transcript, shownWrong, faultInjector.lostRelay(), faultInjector.faults(), launcherKills, faultInjector.startNs(),
                faultInjector.connectedNs());
    }
}

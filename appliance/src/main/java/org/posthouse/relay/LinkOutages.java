package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.core.Job;
import org.posthouse.relay.shard.LinkOutage;
import org.posthouse.relay.shard.LinkedRelay;
import org.posthouse.relay.shard.Shard;
import org.posthouse.status.LinkStatus;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobEvent;

/**
 * The links that are down, and the frames that wait for them (docs/recovery.md, P8). Frames and jobs survive an outage
 * of any length, unless a limit is set. After the limit, jobs with ranks at the far end are ended, and no others.
 * Confined to the relay's control strand.
 */
public final class LinkOutages {
    /**
     * Nanoseconds between looks at the waiting frames. A look takes at most one part in {@code LOOK_SHARE} of the time.
     */
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private static final int LOOK_SHARE = 20;

    /** Nanoseconds of an outage after which launchers are notified; most links are up again sooner. */
    private static final long TELL_NS = TimeUnit.SECONDS.toNanos(5);

    private final Relay relay;
    private final BiConsumer<String, Consumer<ByteBuf>> unacknowledged;
    private final Map<String, LinkOutage> cuts = new TreeMap<>();
    private long lookAtNs;

    /** @param unacknowledged visits the frames that another relay has not acknowledged */
    public LinkOutages(Relay relay, BiConsumer<String, Consumer<ByteBuf>> unacknowledged) {
        this.relay = relay;
        this.unacknowledged = unacknowledged;
    }

    public void onDown(String other, String why, long nowNs) {
        cuts.putIfAbsent(other, new LinkOutage(other, System.currentTimeMillis(), nowNs, why));
        lookAtNs = nowNs;
        excuse(cuts.get(other));
    }

    /** Called for a relay with which a job has to do now; its link may be down already. */
    void meets(LinkedRelay far) {
        LinkOutage linkOutage = cuts.get(far.id());
        if (linkOutage != null && linkOutage.isExcuse()) {
            tellShards(far, false);
        }
    }

    private void excuse(LinkOutage linkOutage) {
        linkOutage.excuse();
        tellShards(linkOutage.relay(), false);
    }

    private void tellShards(String other, boolean up) {
        relay.links().known(other).ifPresent(far -> tellShards(far, up));
    }

    /** Tells the shards, so that ranks that wait for the link are not reported as blocked by their program's fault. */
    private void tellShards(LinkedRelay far, boolean up) {
        relay.shards().each(shard -> shard.core().linked(far.peer(shard), up));
    }

    public void onUp(String other, long nowNs) {
        LinkOutage linkOutage = cuts.remove(other);
        tellShards(other, true);
        if (linkOutage != null) {
            String text = "the link from relay " + relay.id() + " to relay " + other + " is up again after "
                    + TimeUnit.NANOSECONDS.toSeconds(linkOutage.downNs(nowNs)) + " s";
            jobsAt(other).stream().filter(job -> linkOutage.isTold(job.id()))
                    .forEach(job -> job.tell(new JobEvent(job.id(), JobEvent.LINK_STATE, -1, 0, text)));
        }
    }

    /**
     * Updates the state of all outages; called a few times a second.
     *
     * @param links all present links; the outages of others are forgotten
     */
    public void look(List<LinkStatus> links, long nowNs) {
        Set<String> linked = links.stream().map(LinkStatus::peerRelay).collect(Collectors.toSet());
        for (String gone : List.copyOf(cuts.keySet())) {
            if (!linked.contains(gone)) {
                cuts.remove(gone);
                tellShards(gone, true);
            }
        }
        for (LinkStatus link : links) {
            if (link.state() != LinkStatus.State.UP && !cuts.containsKey(link.peerRelay())) {
                long sinceMs = link.since();
                cuts.put(link.peerRelay(), new LinkOutage(link.peerRelay(), sinceMs, nowNs, "it has not been up since this relay started"));
                lookAtNs = nowNs;
            }
        }
        cuts.values().stream().filter(cut -> !cut.isExcuse() && usersOf(cut.relay()).findAny().isPresent()).forEach(this::excuse);
        if (!cuts.isEmpty() && nowNs - lookAtNs >= 0) {
            cuts.values().forEach(this::count);
            lookAtNs = nowNs + Math.max(LOOK_NS, LOOK_SHARE * (System.nanoTime() - nowNs));
        }
        cuts.values().forEach(linkOutage -> judge(linkOutage, nowNs));
    }

    private void count(LinkOutage linkOutage) {
        linkOutage.lookAnew();
        unacknowledged.accept(linkOutage.relay(), linkOutage::count);
        List<OpenJob> jobs = jobsAt(linkOutage.relay());
        linkOutage.forget(jobs.stream().map(OpenJob::id).collect(Collectors.toSet()));
        jobs.forEach(job -> askForReceivers(linkOutage, job.id(), ranksAt(linkOutage.relay(), job)));
    }

    private void askForReceivers(LinkOutage linkOutage, long job, BitSet there) {
        relay.shards().each(shard -> {
            Job open = shard.core().job(job);
            BitSet waiting = open == null ? new BitSet() : open.waitingFor(there::get);
            relay.control().submit(() -> linkOutage.receivers(job, shard.number(), waiting));
        });
    }

    private static BitSet ranksAt(String other, OpenJob job) {
        int home = Job.indexOf(other, job.opening().homes());
        BitSet there = new BitSet();
        for (int rank = 0; rank < job.opening().size(); rank++) {
            there.set(rank, job.opening().homeOf()[rank] == home);
        }
        return there;
    }

    private void judge(LinkOutage linkOutage, long nowNs) {
        long patienceNs = TimeUnit.SECONDS.toNanos(relay.settings().linkPatienceSeconds());
        if (patienceNs > 0 && linkOutage.downNs(nowNs) >= patienceNs) {
            jobsAt(linkOutage.relay()).stream()
                    .filter(job -> isPatient(linkOutage.relay(), job) && linkOutage.ends(job.id()))
                    .forEach(job -> end(job, linkOutage));
        } else if (linkOutage.downNs(nowNs) >= TELL_NS) {
            String text = down(linkOutage) + ": what the job sends there waits until it is up again";
            usersOf(linkOutage.relay()).filter(job -> linkOutage.tells(job.id()))
                    .forEach(job -> job.tell(new JobEvent(job.id(), JobEvent.LINK_STATE, -1, 1, text)));
        }
    }

    /** Whether the job waits for the link until {@code --link-patience}. For a first link it waits as {@link PeerLinks} says. */
    private boolean isPatient(String other, OpenJob job) {
        return job.isOfThisProcess() ? relay.links().hasMet(other) : relay.links().isUsed(other, job.id());
    }

    private void end(OpenJob job, LinkOutage linkOutage) {
        int home = Job.indexOf(linkOutage.relay(), job.opening().homes());
        String site = job.opening().homes().get(home).site();
        String why = job + " has ranks at site " + site + ": " + down(linkOutage) + ", longer than the "
                + relay.settings().linkPatienceSeconds() + " s of --link-patience";
        Shard shard = relay.shards().of(job.id(), 0);
        shard.strand().submit(() -> shard.core().failJob(job.id(), CloseReason.SITE_UNREACHABLE, why));
    }

    private String down(LinkOutage linkOutage) {
        return "the link from relay " + relay.id() + " to relay " + linkOutage.relay() + " is down since "
                + Instant.ofEpochMilli(linkOutage.sinceMs()).truncatedTo(ChronoUnit.SECONDS) + " (" + linkOutage.reason() + ")";
    }

    private List<OpenJob> jobsAt(String other) {
        return relay.jobs().all().stream()
                .filter(job -> job.state() != OpenJob.State.CLOSED && homes(job).contains(other))
                .toList();
    }

    /**
     * The jobs that have ranks at that relay and may wait for the link. A job that was opened in this process and never
     * used the link loses nothing by its outage. A job of the log may have used it before.
     */
    private Stream<OpenJob> usersOf(String other) {
        return jobsAt(other).stream().filter(job -> mayUse(other, job));
    }

    /** Whether a job has ranks at that relay, which may come back with it. */
    boolean isNeeded(String other) {
        return !jobsAt(other).isEmpty();
    }

    private static Set<String> homes(OpenJob job) {
        return job.opening().homes().stream().map(HomeRelay::relay).collect(Collectors.toSet());
    }

    /** Whether a link to another relay of the job is down, and the job may wait for it. */
    boolean isParted(OpenJob job) {
        return cuts.keySet().stream().anyMatch(other -> homes(job).contains(other) && mayUse(other, job));
    }

    private boolean mayUse(String other, OpenJob job) {
        return !job.isOfThisProcess() || relay.links().isUsed(other, job.id());
    }

    /** The traffic that waits for the link; empty unless it is down. */
    Optional<LinkStatus.Parked> parked(LinkStatus link) {
        LinkOutage linkOutage = cuts.get(link.peerRelay());
        if (linkOutage == null) {
            return Optional.empty();
        }
        List<LinkStatus.ParkedJob> jobs = usersOf(link.peerRelay())
                .map(job -> linkOutage.parked(Job.hexId(job.id()), job.opening().name(), job.id()))
                .toList();
        String lastTry = link.lastReason().equals(linkOutage.reason()) ? "" : link.lastReason();
        return Optional.of(new LinkStatus.Parked(linkOutage.sinceMs(), linkOutage.reason(), lastTry, linkOutage.messages(), linkOutage.bytes(), jobs));
    }
}

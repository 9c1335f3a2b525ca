package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Job;
import org.posthouse.core.Refusal;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The joint jobs of this relay: jobs whose ranks are processes of two other jobs, which accept and connect have joined. They have
 * no launcher. The first rank that joins at this relay opens one here.
 *
 * <p>Each of the two jobs binds a name below the joint job's while it takes part ({@link JobJoin#sideName}); the name goes with its job,
 * so a relay that has no ranks of that job learns of its end as well. A joint job that is not logged ends with either job, and when both
 * have left it. One that is logged ends with both jobs: processes that are restarted replay what they had done there. When the first has
 * ended, the ranks of the other are told. Confined to the relay's control strand.
 */
final class JointJobs {
    private static final Logger LOG = LoggerFactory.getLogger(JointJobs.class);

    /** Milliseconds between two looks whether both jobs still take part. */
    private static final long LOOK_MS = 1_000;

    private final Relay relay;
    private final Map<Long, JointJob> joints = new HashMap<>();

    /** What a rank gets that has joined. */
    interface Member {
        /** One of the two jobs has ended. */
        void ended(String why);
    }

    JointJobs(Relay relay) {
        this.relay = relay;
    }

    /**
     * Lets a rank of an open job join.
     *
     * @param worldRank its rank in its own job
     * @return its token in the joint job; fails with a {@link Refusal}
     */
    Future<Token> join(JobJoin join, int worldRank) {
        assert relay.inLoop();
        JointJob joint;
        try {
            check(join, worldRank);
            joint = joint(join);
        } catch (Refusal e) {
            return Future.failedFuture(e);
        }
        return joint.opened().map(job -> job.opening().token().ofRank(join.rank()));
    }

    /** A rank was answered that it has joined: it is told when the other job of a joint job that is logged ends, or has ended. */
    void answered(JobJoin join, Member member) {
        assert relay.inLoop();
        JointJob joint = joints.get(join.joint());
        if (joint != null) {
            joint.member(join.rank(), member);
        }
    }

    private void check(JobJoin join, int worldRank) throws Refusal {
        String who = "rank " + worldRank + " of job " + Job.hexId(join.job());
        if (!isOpen(join.job())) {
            throw new Refusal(CloseReason.UNKNOWN_JOB, who + " joins another job, and its own is not open any more at relay " + relay.id());
        }
        if (join.partOf(join.rank()).job() != join.job() || join.worldRankOf(join.rank()) != worldRank) {
            throw new Refusal(CloseReason.WRONG_RANK, who + " joins as " + jointRank(join, join.rank()));
        }
        String home = join.homes().get(join.homeOf()[join.rank()]).relay();
        if (!home.equals(relay.id())) {
            throw new Refusal(CloseReason.WRONG_SITE, who + " joins at relay " + relay.id() + ", and is to be at home at " + home);
        }
    }

    private boolean isOpen(long job) {
        OpenJob open = relay.jobs().job(job);
        return open != null && open.state() != OpenJob.State.CLOSED;
    }

    private static String jointRank(JobJoin join, int rank) {
        return "rank " + join.worldRankOf(rank) + " of job " + Job.hexId(join.partOf(rank).job());
    }

    /** The joint job, which is opened unless it is open. */
    private JointJob joint(JobJoin join) throws Refusal {
        JobOpen own = relay.jobs().job(join.job()).opening();
        JointJob known = joints.get(join.joint());
        if (known != null) {
            known.check(join, own.durability());
            return known;
        }
        JobOpen opening = JobOpen.joint(join, Token.random(), own.durability(), name(join));
        Optional<String> noWay = relay.links().noWay(relay.jobs().others(opening));
        if (noWay.isPresent()) {
            throw new Refusal(CloseReason.SITE_UNREACHABLE, noWay.get());
        }
        JointJob made = new JointJob(relay.id(), opening);
        joints.put(join.joint(), made);
        made.opens(relay.jobs().openJoint(opening, relay.jobs().job(join.job()).owner()).onFailure(fault -> joints.remove(join.joint(), made)));
        lookLater(made);
        return made;
    }

    private String name(JobJoin join) {
        return shown(join.accepting()) + " and " + shown(join.connecting());
    }

    /** A job by its name, if it has ranks here. */
    private String shown(JobJoin.Part part) {
        OpenJob job = relay.jobs().job(part.job());
        return job == null ? Job.hexId(part.job()) : job.opening().name();
    }

    /** Continues a joint job that is back from the log, when all jobs are. */
    void recovered(OpenJob job) {
        assert relay.inLoop();
        // A job that is not here yet is awaited as long as its launcher would be.
        JointJob joint = new JointJob(relay.id(), job.opening(), relay.settings().launcherWait().recoveredMs(job.opening()), true);
        joint.opens(Future.succeededFuture(job));
        joints.put(job.id(), joint);
        for (JointSide side : joint.sides()) {
            if (side.isHere() && isOpen(side.job())) {
                relay.names().publishes(Job.hexId(side.job())); // What it has bound goes with it.
            } else if (side.isHere()) {
                ended(joint, side, "job " + Job.hexId(side.job()) + " has ended");
            }
        }
        look(joint); // At once: names that were lost are bound again before others believe that this job has ended.
    }

    private void lookLater(JointJob joint) {
        relay.loop().schedule(() -> relay.control().submit(() -> look(joint)), LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** Asks whether both jobs still take part. Without names nobody knows, and the joint job stays. */
    private void look(JointJob joint) {
        if (joints.get(joint.id()) != joint || relay.isOver()) {
            return;
        }
        CompletableFuture.allOf(joint.sides().stream().filter(side -> !side.hasEnded()).map(side -> look(joint, side)).toArray(CompletableFuture[]::new))
                .thenRun(() -> relay.control().submit(() -> lookLater(joint)));
    }

    /** @return complete when it was answered, or was not; never fails */
    private CompletableFuture<?> look(JointJob joint, JointSide side) {
        return relay.names().frontEnd().lookup(Name.parse(side.name())).thenCompose(
                found -> found.isPresent() ? CompletableFuture.completedStage(found) : relay.names().frontEnd().lookup(Name.parse(side.comingName())))
                .handle((found, fault) -> {
                    if (fault == null) {
                        relay.control().submit(() -> found(joint, side, found));
                    } else {
                        LOG.debug("{}: whether job {} takes part in {}: {}", relay.id(), side.job(), joint.id(), fault.getMessage());
                    }
                    return null;
                }).toCompletableFuture();
    }

    private void found(JointJob joint, JointSide side, Optional<BoundName> found) {
        if (joints.get(joint.id()) != joint) {
            return;
        }
        switch (side.found(JointSide.Sight.of(found, side.name()), joint.isLogged(), isOpen(side.job()))) {
            case STAYS -> {}
            case BIND_AGAIN -> bindAgain(side);
            case GONE -> {
                if (joint.isLogged()) {
                    ended(joint, side, side.why());
                } else {
                    end(joint, 0, side.why());
                }
            }
        }
    }

    /** The relays have lost the name: its job is open here. */
    private void bindAgain(JointSide side) {
        String job = Job.hexId(side.job());
        relay.names().publishes(job); // It goes with its job.
        relay.names().frontEnd().bind(Name.parse(side.name()), NameRecord.of(Map.of("job", job))).whenComplete((bound, fault) -> {
            if (fault != null) {
                LOG.debug("{}: {} is not bound again: {}", relay.id(), side.name(), fault.getMessage());
            }
        });
    }

    private void ended(JointJob joint, JointSide side, String why) {
        if (joint.ended(side, why)) {
            end(joint, 0, "both of its jobs have ended");
        }
    }

    private void end(JointJob joint, int status, String why) {
        if (joints.remove(joint.id(), joint)) {
            relay.jobs().close(joint.id(), new CloseNotice(joint.id(), status, -1, why));
        }
    }

    /** A job was closed here. A joint job of its ranks that is not logged ends with it. */
    void closed(long job, String why) {
        assert relay.inLoop();
        JointJob closed = joints.get(job);
        if (closed != null && closed.isLogged()) {
            closed.close(why); // By an operator. A process that is restarted would find a new one, without its history.
        } else {
            joints.remove(job);
        }
        for (JointJob joint : List.copyOf(joints.values())) {
            for (JointSide side : joint.sides()) {
                if (side.job() == job) {
                    String reason = "job " + Job.hexId(job) + " has ended" + (why.isEmpty() ? "" : ": " + why);
                    if (joint.isLogged()) {
                        ended(joint, side, reason);
                    } else {
                        end(joint, 1, reason);
                    }
                }
            }
        }
    }

    /** An event of a job. A joint job ends when it has lost one of its ranks, as no launcher does that. */
    void onEvent(JobEvent event) {
        assert relay.inLoop();
        JointJob joint = joints.get(event.job());
        if (joint == null) {
            return;
        }
        String who = event.rank() < 0 ? "it" : jointRank(joint.join(), event.rank());
        switch (event.kind()) {
            case JobEvent.LOST, JobEvent.ABORTED -> {
                String why = who + (event.kind() == JobEvent.LOST ? " was lost: " : " has ended it: ") + event.text();
                if (joint.isLogged()) {
                    joint.tellAll(why);
                } else {
                    end(joint, 1, why);
                }
            }
            case JobEvent.LIMITED, JobEvent.DIVERGED -> tellOwn(joint.join(), event);
            default -> {}
        }
    }

    /** A process cannot be replayed in the joint job, or was not as before: its own job's launcher, which would start it again, is told. */
    private void tellOwn(JobJoin join, JobEvent event) {
        if (event.rank() < 0) {
            return;
        }
        OpenJob own = relay.jobs().job(join.partOf(event.rank()).job());
        if (own != null) {
            own.tell(new JobEvent(own.id(), event.kind(), join.worldRankOf(event.rank()), event.code(), event.a(), event.b(), event.text()));
        }
    }

    /** The joint jobs that a job takes part in. */
    List<Long> of(long job) {
        List<Long> of = new ArrayList<>();
        joints.forEach((id, joint) -> {
            if (joint.sides().stream().anyMatch(side -> side.job() == job)) {
                of.add(id);
            }
        });
        return of;
    }
}

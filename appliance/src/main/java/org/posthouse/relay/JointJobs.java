package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Job;
import org.posthouse.core.Refusal;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
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
 * no launcher. The first rank that joins at this relay opens one here. It ends with either of the two jobs, and when both have
 * left it. Each of the two binds a name below the joint job's while it takes part ({@link JobJoin#sideName}); the name goes with its
 * job, so a relay that has no ranks of that job learns of its end as well. Confined to the relay's control strand.
 */
final class JointJobs {
    private static final Logger LOG = LoggerFactory.getLogger(JointJobs.class);

    /** Milliseconds between two looks whether both jobs still take part. */
    private static final long LOOK_MS = 1_000;

    /** Milliseconds in which both jobs must have begun to take part. */
    private static final long BEGIN_MS_MAX = 60_000;

    private final Relay relay;
    private final Map<Long, Joint> joints = new HashMap<>();

    private static final class Joint {
        private final JobJoin join;
        private final long beganNanos = System.nanoTime();
        private final List<Side> sides;
        private Future<OpenJob> opened;

        Joint(JobJoin join) {
            this.join = join;
            this.sides = List.of(new Side(join.accepting()), new Side(join.connecting()));
        }
    }

    private static final class Side {
        private final JobJoin.Part part;

        /** Whether its name was found: without it from then on, it takes part no more. */
        private boolean begun;

        Side(JobJoin.Part part) {
            this.part = part;
        }
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
        Joint joint;
        try {
            check(join, worldRank);
            joint = joint(join);
        } catch (Refusal e) {
            return Future.failedFuture(e);
        }
        return joint.opened.map(job -> job.opening().token().ofRank(join.rank()));
    }

    private void check(JobJoin join, int worldRank) throws Refusal {
        String who = "rank " + worldRank + " of job " + Job.hexId(join.job());
        OpenJob own = relay.jobs().job(join.job());
        if (own == null || own.state() == OpenJob.State.CLOSED) {
            throw new Refusal(CloseReason.UNKNOWN_JOB, who + " joins another job, and its own is not open any more at relay " + relay.id());
        }
        if (own.opening().logged()) {
            throw new Refusal(CloseReason.NOT_EXPECTED, who + " joins another job, and its own is logged: only jobs of --durability none can be joined");
        }
        if (join.partOf(join.rank()).job() != join.job() || join.worldRankOf(join.rank()) != worldRank) {
            throw new Refusal(CloseReason.WRONG_RANK, who + " joins as " + jointRank(join, join.rank()));
        }
        String home = join.homes().get(join.homeOf()[join.rank()]).relay();
        if (!home.equals(relay.id())) {
            throw new Refusal(CloseReason.WRONG_SITE, who + " joins at relay " + relay.id() + ", and is to be at home at " + home);
        }
    }

    private static String jointRank(JobJoin join, int rank) {
        return "rank " + join.worldRankOf(rank) + " of job " + Job.hexId(join.partOf(rank).job());
    }

    /** The joint job, which is opened unless it is open. */
    private Joint joint(JobJoin join) throws Refusal {
        Joint known = joints.get(join.joint());
        if (known != null) {
            if (!known.join.isSameJoint(join)) {
                throw new Refusal(CloseReason.DUPLICATE_JOB, "joint job " + Job.hexId(join.joint()) + " is open with other ranks");
            }
            return known;
        }
        JobOpen opening = new JobOpen(join.joint(), Token.random(), false, name(join), join.homes(), join.homeOf());
        Optional<String> noWay = relay.links().noWay(relay.jobs().others(opening));
        if (noWay.isPresent()) {
            throw new Refusal(CloseReason.SITE_UNREACHABLE, noWay.get());
        }
        Joint made = new Joint(join);
        joints.put(join.joint(), made);
        made.opened = relay.jobs().openJoint(opening, relay.jobs().job(join.job()).owner()).onFailure(fault -> joints.remove(join.joint(), made));
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

    private void lookLater(Joint joint) {
        relay.loop().schedule(() -> relay.control().submit(() -> look(joint)), LOOK_MS, TimeUnit.MILLISECONDS);
    }

    /** Asks whether both jobs still take part. Without names nobody knows, and the joint job stays. */
    private void look(Joint joint) {
        if (joints.get(joint.join.joint()) != joint) {
            return;
        }
        for (Side side : joint.sides) {
            relay.names().frontEnd().lookup(Name.parse(joint.join.sideName(side.part))).whenComplete((found, fault) -> {
                if (fault == null) {
                    relay.control().submit(() -> found(joint, side, found));
                } else {
                    LOG.debug("{}: whether job {} takes part in {}: {}", relay.id(), side.part.job(), joint.join.joint(), fault.getMessage());
                }
            });
        }
        lookLater(joint);
    }

    private void found(Joint joint, Side side, Optional<BoundName> found) {
        side.begun |= found.isPresent();
        boolean isLate = !side.begun && System.nanoTime() - joint.beganNanos > TimeUnit.MILLISECONDS.toNanos(BEGIN_MS_MAX);
        if (found.isEmpty() && (side.begun || isLate)) {
            end(joint, 0, "job " + Job.hexId(side.part.job()) + (side.begun ? " has left it or has ended" : " has not come within " + BEGIN_MS_MAX + " ms"));
        }
    }

    private void end(Joint joint, int status, String why) {
        if (joints.remove(joint.join.joint(), joint)) {
            relay.jobs().close(joint.join.joint(), new CloseNotice(joint.join.joint(), status, -1, why));
        }
    }

    /** A job was closed here. A joint job of its ranks ends with it. */
    void closed(long job, String why) {
        assert relay.inLoop();
        joints.remove(job);
        for (Joint joint : List.copyOf(joints.values())) {
            if (joint.sides.stream().anyMatch(side -> side.part.job() == job)) {
                end(joint, 1, "job " + Job.hexId(job) + " has ended" + (why.isEmpty() ? "" : ": " + why));
            }
        }
    }

    /** An event of a job. A joint job ends when it has lost one of its ranks, as no launcher does that. */
    void onEvent(JobEvent event) {
        assert relay.inLoop();
        Joint joint = joints.get(event.job());
        if (joint != null && (event.kind() == JobEvent.LOST || event.kind() == JobEvent.ABORTED)) {
            String who = event.rank() < 0 ? "it" : jointRank(joint.join, event.rank());
            end(joint, 1, who + (event.kind() == JobEvent.LOST ? " was lost: " : " has ended it: ") + event.text());
        }
    }
}

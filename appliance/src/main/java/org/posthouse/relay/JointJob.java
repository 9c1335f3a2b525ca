package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.posthouse.core.Job;
import org.posthouse.core.Refusal;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Durability;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobOpen;

/** A joint job of this relay. Confined to the relay's control strand. */
final class JointJob {
    /** Milliseconds in which both jobs must have begun to take part. They begin before any of their ranks joins. */
    private static final long BEGIN_MS_MAX = 60_000;

    private final JobOpen opening;
    private final JobJoin join;
    private final List<JointSide> sides;

    /** By their ranks in the joint job; of one that is logged. */
    private final Map<Integer, JointJobs.Member> members = new HashMap<>();

    private Future<OpenJob> opened;

    /** Why calls that need all ranks will not return; null if they may. */
    private String ending;

    /** One that begins. */
    JointJob(String relay, JobOpen opening) {
        this(relay, opening, BEGIN_MS_MAX, false);
    }

    /** @param isRecovered whether it is back from the log: its two jobs took part before */
    JointJob(String relay, JobOpen opening, long beginMsMax, boolean isRecovered) {
        this.opening = opening;
        this.join = JobJoin.of(opening);
        this.sides = List.of(side(relay, join.accepting(), beginMsMax, isRecovered), side(relay, join.connecting(), beginMsMax, isRecovered));
    }

    private JointSide side(String relay, JobJoin.Part part, long beginMsMax, boolean isRecovered) {
        int self = Job.indexOf(relay, join.homes());
        boolean isHere = IntStream.range(0, join.size()).anyMatch(rank -> join.partOf(rank) == part && join.homeOf()[rank] == self);
        return new JointSide(opening.job(), part, isHere, beginMsMax, isRecovered);
    }

    long id() {
        return opening.job();
    }

    JobJoin join() {
        return join;
    }

    boolean isLogged() {
        return opening.logged();
    }

    List<JointSide> sides() {
        return sides;
    }

    void opens(Future<OpenJob> opens) {
        opened = opens;
    }

    /** It was closed before its two jobs have ended: nobody joins any more. */
    void close(String why) {
        opened = Future.failedFuture(new Refusal(CloseReason.UNKNOWN_JOB, "joint job " + Job.hexId(id()) + " was ended: " + why));
        members.clear();
    }

    /** Complete when its ranks may connect. */
    Future<OpenJob> opened() {
        return opened;
    }

    /** Checks another rank's request. @param durability of its own job */
    void check(JobJoin other, Durability durability) throws Refusal {
        if (!join.isSameJoint(other)) {
            throw new Refusal(CloseReason.DUPLICATE_JOB, "joint job " + Job.hexId(id()) + " is open with other ranks");
        }
        if (durability != opening.durability()) {
            throw new Refusal(CloseReason.NOT_EXPECTED, "a rank of job " + Job.hexId(other.job()) + " with durability " + durability
                    + " joins a job with durability " + opening.durability() + ": start both jobs with the same --durability");
        }
    }

    /** A rank has joined, or has asked again on another connection. */
    void member(int rank, JointJobs.Member member) {
        if (isLogged()) {
            members.put(rank, member);
            if (ending != null) {
                member.ended(ending);
            }
        }
    }

    /** One of its jobs has ended. @return whether both have */
    boolean ended(JointSide side, String why) {
        side.end();
        tellAll(why);
        return sides.stream().allMatch(JointSide::hasEnded);
    }

    /** Tells its ranks that nothing more is to come from some of them. The first reason counts. */
    void tellAll(String why) {
        if (ending == null) {
            ending = why;
            members.values().forEach(member -> member.ended(why));
        }
    }
}

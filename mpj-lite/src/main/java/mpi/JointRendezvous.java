package mpi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.JobJoiner;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.WireException;

/**
 * One call of accept or connect that joins groups of two jobs (docs/adr/0116). The roots meet by records in the relays' name service:
 * the root that connects binds the port's record for a visitor, and the root that accepts answers it with the joint job's ranks.
 * Then all processes of both groups join the joint job, the accepting ones first. Each root binds its side's record when all of its
 * group have joined, so that nobody sends to a relay where the joint job is not open. Names may be lost, so they only bring the roots
 * together: at last the accepting root tells the other one by a message in the joint job that it is there, and that one answers
 * whether the jobs are joined. For one use.
 */
final class JointRendezvous {
    private static final String JOINT = "joint";
    private static final String RANKS = "ranks";
    private static final String HOMES = "homes";
    private static final String JOIN = JobJoin.JOINED_FIELD;
    private static final String REFUSED = JobJoin.REFUSED_FIELD;
    private static final String DURABILITY = "durability";

    /** Of the messages by which the roots agree. */
    private static final int OUTCOME_TAG = 1;

    private final String call;
    private final Intracomm local;
    private final int root;
    private final Endpoint endpoint;
    private final PortRecords board;

    /** The port, at the root. */
    private Ports.Port port;

    JointRendezvous(String call, Intracomm local, int root) {
        this.call = call;
        this.local = local;
        this.root = root;
        endpoint = local.endpoint;
        board = new PortRecords(call, endpoint);
    }

    // ---- ports

    /** Shows a port to other jobs. While the relay has no names it is one for this job only, until {@link #visitor} shows it. */
    static void publish(String call, Endpoint endpoint, Ports.Port port) {
        endpoint.joiner().ifPresent(joiner -> new PortRecords(call, endpoint).tryBind(port.record(), record(DURABILITY, joiner.durability().word())));
    }

    /** Takes a port back. */
    static void withdraw(String call, Endpoint endpoint, Ports.Port port) {
        if (endpoint.joiner().isPresent()) {
            PortRecords board = new PortRecords(call, endpoint);
            if (board.tryLookup(port.record()).isPresent()) {
                board.unbind(port.record());
            }
        }
    }

    private static SortedMap<String, String> record(String key, String value) {
        return new TreeMap<>(Map.of(key, value));
    }

    // ---- the roots

    /**
     * Waits at a port for a group of another job, or until somebody of this job has come.
     *
     * @param isLocal whether somebody of this job has come
     * @return null if somebody of this job has come, or nobody else can come: other jobs do not reach this one
     */
    JobJoin visitor(Ports.Port own, BooleanSupplier isLocal) {
        Optional<JobJoiner> joiner = endpoint.joiner();
        if (joiner.isEmpty()) {
            return null;
        }
        port = own;
        publish(call, endpoint, own);
        Optional<Map<String, String>> came = board.awaitEither(isLocal, () -> board.tryLookup(own.visitor()));
        try {
            return came.map(fields -> answered(fields, joiner.get())).orElse(null);
        } catch (NullPointerException | IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new MPIException(MPI.ERR_PORT, call + ": the record of a visitor at \"" + own.name() + "\" cannot be read: " + e.getMessage(), e);
        }
    }

    private JobJoin answered(Map<String, String> visitor, JobJoiner joiner) {
        long joint = HexFormat.fromHexDigitsToLong(visitor.get(JOINT));
        JobJoin.Part accepting = new JobJoin.Part(joiner.job(), local.group.worldRanks());
        JobJoin.Part connecting = new JobJoin.Part(HexFormat.fromHexDigitsToLong(visitor.get("job")), numbers(visitor.get(RANKS)));
        List<HomeRelay> all = new ArrayList<>(homes(joiner));
        all.addAll(homes(visitor.get(HOMES)));
        List<HomeRelay> distinct = JobJoiner.distinct(all);
        JobJoin join = new JobJoin(
                joiner.job(), joint, root, accepting, connecting, distinct, all.stream().mapToInt(distinct::indexOf).toArray());
        board.bind(join.comingName(accepting), new TreeMap<>());
        try {
            join.encode();
            return join;
        } catch (IllegalArgumentException e) {
            String why = accepting.worldRanks().length + " and " + connecting.worldRanks().length + " processes are too many to be joined: " + e.getMessage();
            board.bind(join.sideName(accepting), record(REFUSED, why));
            throw new MPIException(MPI.ERR_PORT, call + ": " + why);
        }
    }

    /** Goes to a port of another job, and waits to be let in. */
    JobJoin visit(Ports.Port other) {
        JobJoiner joiner = endpoint.joiner().orElseThrow(
                () -> new MPIException(MPI.ERR_PORT,
                        call + ": \"" + other.name() + "\" is a port of another job, and there is no relay, or ranks of this job run more than once (-r)"));
        port = other;
        requireOpen(joiner);
        long joint = endpoint.value(() -> new SecureRandom().nextLong() | 1);
        SortedMap<String, String> visitor = new TreeMap<>(Map.of(
                JOINT, HexFormat.of().toHexDigits(joint), RANKS, text(local.group.worldRanks()), HOMES, text(homes(joiner))));
        String coming = JobJoin.comingName(joint, joiner.job());
        board.bind(coming, new TreeMap<>());
        try {
            board.await(() -> {
                if (board.bind(port.visitor(), visitor)) {
                    return Optional.of(true);
                }
                takeBackOldVisit(joint, joiner);
                requireOpen(joiner); // Another group is being let in.
                return Optional.empty();
            });
            return decode(board.await(() -> letIn(lookupOf(JobJoin.sideName(joint, port.job()), port.job()), joiner)));
        } catch (MPIException e) {
            leavePort(joint);
            board.unbind(coming);
            throw e;
        }
    }

    /** Takes back the visit of a connect of this process that has failed while the relay had no names. */
    private void takeBackOldVisit(long joint, JobJoiner joiner) {
        Optional<Map<String, String>> visitor = lookupOf(port.visitor(), joiner.job());
        long old = visitor.map(fields -> HexFormat.fromHexDigitsToLong(fields.get(JOINT))).orElse(joint);
        if (old != joint && local.self.ports().hasEnded(old)) {
            leavePort(old);
        }
    }

    private void leavePort(long joint) {
        local.self.ports().ends(joint);
        String job = HexFormat.of().toHexDigits(endpoint.joiner().orElseThrow().job());
        String visit = HexFormat.of().toHexDigits(joint);
        board.unbind(port.visitor(), fields -> job.equals(fields.get("job")) && visit.equals(fields.get(JOINT)));
        local.self.ports().leaves(joint);
    }

    private void requireOpen(JobJoiner joiner) {
        Map<String, String> found = lookupOf(port.record(), port.job()).orElseThrow(() -> new MPIException(MPI.ERR_PORT, call + ": no port \"" + port.name()
                + "\" is open in this grid: its job, " + HexFormat.of().toHexDigits(port.job()) + ", has ended or closed it, or is one of another grid"));
        String other = found.getOrDefault(DURABILITY, "none");
        String own = joiner.durability().word();
        if (!other.equals(own)) {
            throw new MPIException(MPI.ERR_PORT, call + ": \"" + port.name() + "\" is a port of a job with --durability " + other + ", and this job has "
                    + own + ": jobs that meet have the same one; start both with posthouse run --durability " + other + ", or " + own);
        }
    }

    /** The record of a name, if a rank of that job has bound it: the relay says who has. */
    private Optional<Map<String, String>> lookupOf(String name, long job) {
        return board.lookup(name).filter(fields -> HexFormat.of().toHexDigits(job).equals(fields.get("job")));
    }

    private Optional<Map<String, String>> letIn(Optional<Map<String, String>> answer, JobJoiner joiner) {
        Optional<Map<String, String>> decided = answer.filter(JointRendezvous::isDecided);
        if (decided.isEmpty()) {
            requireOpen(joiner);
        }
        return decided;
    }

    /** Whether a side's root has bound its record. A relay binds one without content, for a job that is there, if names were lost. */
    private static boolean isDecided(Map<String, String> side) {
        return side.containsKey(JOIN) || side.containsKey(REFUSED);
    }

    private JobJoin decode(Map<String, String> answer) {
        if (answer.containsKey(REFUSED)) {
            throw new MPIException(MPI.ERR_PORT, call + ": \"" + port.name() + "\" does not let this group in: " + answer.get(REFUSED));
        }
        return decode(Base64.getDecoder().decode(answer.get(JOIN)));
    }

    private JobJoin decode(byte[] frame) {
        try {
            return JobJoin.decode(ByteBuffer.wrap(frame));
        } catch (WireException e) {
            throw new MPIException(MPI.ERR_INTERN, call + ": the other job's answer cannot be read: " + e.getMessage(), e);
        }
    }

    // ---- all

    /** @param found at the root: the joint job; else null */
    Intercomm meet(JobJoin found) {
        JobJoin join = everywhere(found);
        boolean isAccepting = join.accepting().job() == endpoint.joiner().orElseThrow().job();
        int before = isAccepting ? 0 : join.accepting().worldRanks().length;
        JobJoin own = join.by(before + local.group.Rank());
        JobJoin.Part part = isAccepting ? join.accepting() : join.connecting();
        Intracomm both = null;
        String refusal = "";
        try {
            both = JointJob.both(local, own, endpoint.joiner().orElseThrow().join(own));
        } catch (IOException e) {
            refusal = "rank " + local.group.Rank() + ": " + e.getMessage();
        }
        String failure = agreed(refusal, isAccepting, join, part, both);
        if (!failure.isEmpty()) {
            if (both != null) {
                both.endpoint.close();
            }
            throw local.check.error(MPI.ERR_PORT, call, "the two jobs cannot be joined: " + failure);
        }
        if (both == null) { // The first process of this rank was joined. What has ended since then is in no history.
            local.self.joints().observeEnd();
            throw local.check.error(MPI.ERR_OTHER, call, "the two jobs were joined, and this process, which was restarted, cannot join again: " + refusal
                    + "; the joint job has ended for it, start both jobs again if they need each other");
        }
        return new JointJob(call, local, root, own, both).intercomm();
    }

    private JobJoin everywhere(JobJoin found) {
        byte[] frame = found == null ? new byte[0] : bytes(found);
        int[] length = {frame.length};
        local.collectives.bcast(call, new Elements(length, 0, 1, MPI.INT), root).run();
        byte[] told = Arrays.copyOf(frame, length[0]);
        local.collectives.bcast(call, new Elements(told, 0, told.length, MPI.BYTE), root).run();
        return decode(told);
    }

    private static byte[] bytes(JobJoin join) {
        ByteBuffer frame = join.encode();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    /**
     * Tells the other root whether all here have joined, and learns whether all there have.
     *
     * @param refusal why this process has not joined; empty if it has
     * @param both all processes of both groups, if it has joined
     * @return why the jobs are not joined, the same at all processes; empty if they are
     */
    private String agreed(String refusal, boolean isAccepting, JobJoin join, JobJoin.Part part, Intracomm both) {
        Object[] refusals = new Object[local.group.Size()];
        local.collectives.gather(
                call, new Elements(new Object[] {refusal}, 0, 1, MPI.OBJECT), RankBlocks.even(refusals, 0, 1, MPI.OBJECT), root).run();
        Object[] outcome = {""};
        if (local.group.Rank() == root) {
            String first = Arrays.stream(refusals).map(Object::toString).filter(each -> !each.isEmpty()).findFirst().orElse("");
            outcome[0] = isAccepting ? accepted(first, join, part, both) : connected(first, join, part, both);
        }
        local.collectives.bcast(call, new Elements(outcome, 0, 1, MPI.OBJECT), root).run();
        return outcome[0].toString();
    }

    private String accepted(String refusal, JobJoin join, JobJoin.Part own, Intracomm both) {
        try {
            bindSide(join, own, refusal.isEmpty() ? record(JOIN, Base64.getEncoder().encodeToString(bytes(join))) : record(REFUSED, refusal));
            Map<String, String> other = board.await(() -> otherSide(join.sideName(join.connecting()), join.connecting().job()));
            String outcome;
            if (refusal.isEmpty() && other.containsKey(JOIN)) {
                outcome = decidedBy(Integer.parseInt(other.get(JOIN)), both);
            } else {
                outcome = refusal.isEmpty() ? other.get(REFUSED) : refusal;
                awaitLeftPort(join); // The other root has read this record before.
            }
            if (!outcome.isEmpty()) {
                board.unbind(join.sideName(own));
            }
            return outcome;
        } catch (MPIException e) {
            return givenUp(e, join, own);
        }
    }

    /** Tells the other root, which has joined with all of its group, that this group is there, and hears whether the jobs are joined. */
    private static String decidedBy(int otherRoot, Intracomm both) {
        tell("", otherRoot, both);
        return heard(otherRoot, both);
    }

    private static void tell(String outcome, int otherRoot, Intracomm both) {
        both.Send(new Object[] {outcome}, 0, 1, MPI.OBJECT, otherRoot, OUTCOME_TAG);
    }

    private static String heard(int otherRoot, Intracomm both) {
        Object[] outcome = {""};
        both.Recv(outcome, 0, 1, MPI.OBJECT, otherRoot, OUTCOME_TAG);
        return outcome[0].toString();
    }

    private void awaitLeftPort(JobJoin join) {
        String isGone = HexFormat.of().toHexDigits(join.joint());
        board.await(() -> board.lookup(port.visitor()).filter(fields -> isGone.equals(fields.get(JOINT))).isPresent() ? Optional.empty() : Optional.of(true));
    }

    /** Says so in the record of this side too, so that the other root, and a relay that watches it, do not take this group for joined. */
    private String givenUp(MPIException why, JobJoin join, JobJoin.Part own) {
        String text = String.valueOf(why.getMessage());
        try {
            bindSide(join, own, record(REFUSED, text));
        } catch (MPIException e) {
            return text + "; the record of it stays until its job has ended: " + e.getMessage();
        }
        return text;
    }

    /** Binds the record of this side, and takes back the one that has told of it until now. */
    private void bindSide(JobJoin join, JobJoin.Part own, SortedMap<String, String> record) {
        if (!board.bind(join.sideName(own), record)) {
            board.unbind(join.sideName(own));
            board.bind(join.sideName(own), record);
        }
        board.unbind(join.comingName(own));
    }

    private Optional<Map<String, String>> otherSide(String name, long job) {
        Optional<Map<String, String>> found = lookupOf(name, job).filter(JointRendezvous::isDecided);
        if (found.isEmpty() && board.lookup(port.visitor()).isEmpty()) {
            // It binds its side first, and then leaves the port: what is not bound now never will be.
            return Optional.of(lookupOf(name, job).filter(JointRendezvous::isDecided).orElse(record(REFUSED, "the other job has ended, or given up")));
        }
        return found;
    }

    /** Decides whether the jobs are joined, and tells the accepting root if this group has joined. */
    private String connected(String refusal, JobJoin join, JobJoin.Part own, Intracomm both) {
        String outcome = refusal;
        try {
            bindSide(join, own, refusal.isEmpty() ? record(JOIN, Integer.toString(both.group.Rank())) : record(REFUSED, refusal));
            leavePort(join.joint());
            if (refusal.isEmpty()) {
                outcome = board.await(() -> other(join, both));
            }
        } catch (MPIException e) {
            outcome = givenUp(e, join, own);
        }
        try {
            if (refusal.isEmpty()) {
                tell(outcome, join.rank(), both);
            }
            if (!outcome.isEmpty()) {
                board.await(() -> board.lookup(join.sideName(join.accepting())).filter(side -> side.containsKey(JOIN)).isPresent()
                        ? Optional.empty()
                        : Optional.of(true));
                board.unbind(join.sideName(own)); // The other root has read it.
            }
            return outcome;
        } catch (MPIException e) {
            return outcome.isEmpty() ? givenUp(e, join, own) : outcome;
        }
    }

    /** Whether the accepting group is there, when that is known: it says so itself, or its record says that it is not. */
    private Optional<String> other(JobJoin join, Intracomm both) {
        if (both.Iprobe(join.rank(), OUTCOME_TAG) != null) {
            return Optional.of(heard(join.rank(), both));
        }
        Optional<Map<String, String>> side = board.lookup(join.sideName(join.accepting()));
        return side.isEmpty() || side.get().containsKey(REFUSED)
                ? Optional.of(side.map(fields -> fields.get(REFUSED)).orElse("the other job has ended"))
                : Optional.empty();
    }

    // ---- texts

    private List<HomeRelay> homes(JobJoiner joiner) {
        return Arrays.stream(local.group.worldRanks()).mapToObj(joiner::home).toList();
    }

    private static String text(int[] numbers) {
        return String.join(",", Arrays.stream(numbers).mapToObj(Integer::toString).toList());
    }

    private static int[] numbers(String text) {
        return Arrays.stream(text.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    /** Each relay once, and then for each rank the place of its own. */
    private static String text(List<HomeRelay> homes) {
        List<HomeRelay> distinct = JobJoiner.distinct(homes);
        String relays = String.join(",", distinct.stream()
                .map(home -> RecordedNames.encode(home.site()) + ";" + RecordedNames.encode(home.relay()) + ";" + RecordedNames.encode(home.address()))
                .toList());
        return relays + "|" + text(homes.stream().mapToInt(distinct::indexOf).toArray());
    }

    private static List<HomeRelay> homes(String text) {
        String[] halves = text.split("\\|");
        List<HomeRelay> distinct = Arrays.stream(halves[0].split(",")).map(each -> {
            String[] parts = each.split(";");
            return new HomeRelay(RecordedNames.decode(parts[0]), RecordedNames.decode(parts[1]), RecordedNames.decode(parts[2]));
        }).toList();
        return Arrays.stream(numbers(halves[1])).mapToObj(distinct::get).toList();
    }
}

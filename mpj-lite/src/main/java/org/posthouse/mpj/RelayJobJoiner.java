package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.posthouse.mpj.channel.CollectiveThread;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.determinant.DeterminantRecorder;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.wire.Durability;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobJoined;
import org.posthouse.wire.JointEnded;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * Joins the process to joint jobs, at the relay of its own job (docs/wire.md, joint jobs). Each joint job has an endpoint of its
 * own, over a connection of its own. From the first one on a thread reads each connection: the program may wait in a call of one
 * job for what only moves if messages of the other do. In a logged job the threads begin when the replay is over. Guarded by the lock of the process's own
 * endpoint.
 */
final class RelayJobJoiner implements JobJoiner {
    /** How the process reaches its relay. */
    record Reach(Platform machine, String relay, Credentials credentials, Settings settings) {}

    /** A joint job of a logged job, from its join on. */
    private record Joint(JobJoin join, RelayEndpoint endpoint) {}

    private final RelayEndpoint own;
    private final Reach reach;
    private final int incarnation;
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final DeterminantRecorder determinantRecorder;
    private final WriteReadiness writeReadiness;
    private final long job;

    /** Whether a thread reads the connection of the process's own job. */
    private boolean reads;

    /** The joint job that is asked for; 0 if none is. */
    private long asked;

    /** Whether the request was sent on this connection. */
    private boolean isSent;

    private JobJoined answer;

    /** By their ids; of a logged job only. */
    private final Map<Long, Joint> joints = new HashMap<>();

    /** Their endpoints, for callers without the lock. */
    private final List<RelayEndpoint> endpoints = new CopyOnWriteArrayList<>();

    /** The joint jobs that are about to be among them. */
    private final Set<Long> joining = new HashSet<>();

    /** Why joint jobs are about to end, by their ids. */
    private final Map<Long, String> ended = new HashMap<>();

    /** Those of them whose endpoints have not been told. */
    private final List<Long> untold = new ArrayList<>();

    /** Whether the relay is to be asked again for all joint jobs: it tells those that have asked on their connection how they end. */
    private boolean isAgainDue;

    /** Null until the process has joined a joint job that is logged. */
    private ObservationOrder order;

    RelayJobJoiner(
            RelayEndpoint own, Reach reach, int incarnation, RelayConnection line, ProgressEngine progressEngine, DeterminantRecorder determinantRecorder,
            WriteReadiness writeReadiness, long job) {
        this.own = own;
        this.reach = reach;
        this.incarnation = incarnation;
        this.line = line;
        this.progressEngine = progressEngine;
        this.determinantRecorder = determinantRecorder;
        this.writeReadiness = writeReadiness;
        this.job = job;
    }

    @Override
    public long job() {
        return job;
    }

    @Override
    public Durability durability() {
        return own.durability();
    }

    @Override
    public HomeRelay home(int rank) {
        return own.home(rank);
    }

    @Override
    public Endpoint join(JobJoin join) throws IOException {
        try {
            return join(join, own.joined(join));
        } catch (FinalizedException e) {
            throw new IOException(e.getMessage(), e);
        } finally {
            joined(join.joint());
        }
    }

    private Endpoint join(JobJoin join, JobJoined joined) throws IOException {
        if (!joined.refusal().isEmpty()) {
            throw new IOException("relay " + own.home(own.rank()).relay() + " refuses: " + joined.refusal());
        }
        Token token = JobJoined.seal(joined.sealed(), reach.credentials().token(), join.joint());
        Credentials credentials = new Credentials(token, reach.credentials().direct());
        Hello hello = Hello.start(join.joint(), join.rank(), incarnation);
        JointExit end = new JointExit(own, incarnation > 1);
        RelayEndpoint joint = RelayEndpoint.connect(reach.machine(), reach.relay(), credentials, hello, reach.settings(), end, own.isLogged());
        end.joined();
        if (own.isLogged()) {
            add(join, joint);
        }
        read(joint);
        tellEnded(); // The notice may have come before this joint job was known here.
        return joint;
    }

    /** The join is over. */
    private void joined(long joint) {
        progressEngine.lock();
        try {
            joining.remove(joint);
        } finally {
            progressEngine.unlock();
        }
    }

    private void read(RelayEndpoint joint) {
        if (!reads) {
            reads = true;
            new CollectiveThread(() -> readReplayed(own), "posthouse-progress").start();
        }
        new CollectiveThread(() -> readReplayed(joint), "posthouse-progress-joint").start();
    }

    private void readReplayed(RelayEndpoint endpoint) {
        if (order != null) {
            order.awaitReplayed(endpoint);
        }
        endpoint.keepReading();
    }

    private void add(JobJoin join, RelayEndpoint joint) {
        progressEngine.lock();
        try {
            if (order == null) {
                order = new ObservationOrder(own);
                own.order(order);
            }
            joints.values().removeIf(each -> each.endpoint.isClosed());
            joints.put(join.joint(), new Joint(join, joint));
            ended.keySet().removeIf(each -> !isKnown(each));
            endpoints.removeIf(RelayEndpoint::isClosed);
            endpoints.add(joint);
            if (ended.containsKey(join.joint())) {
                untold.add(join.joint());
            }
        } finally {
            progressEngine.unlock();
        }
        joint.order(order);
    }

    // ---- logged jobs

    /** Whether the caller is inside a call of a joint job. */
    boolean isAnyLocked() {
        return endpoints.stream().anyMatch(RelayEndpoint::isLocked);
    }

    /** Waits until all that the program has observed in joint jobs is in the log. */
    void awaitReported() {
        endpoints.forEach(ObservationOrder::awaitReported);
    }

    void onEnded(JointEnded notice) {
        if (isKnown(notice.joint())) {
            ended.put(notice.joint(), notice.why());
        }
        if (joints.containsKey(notice.joint())) {
            untold.add(notice.joint());
        }
    }

    private boolean isKnown(long joint) {
        return joining.contains(joint) || joints.containsKey(joint);
    }

    /** Whether joint jobs are to be told of their end. */
    boolean hasEnded() {
        return !untold.isEmpty();
    }

    /** Tells joint jobs of their end. Called without the lock, as each has its own. */
    void tellEnded() {
        Map<RelayEndpoint, String> told = new HashMap<>();
        progressEngine.lock();
        try {
            untold.retainAll(joints.keySet()); // Others were closed, and nobody waits there.
            untold.forEach(joint -> told.put(joints.get(joint).endpoint(), ended.get(joint)));
            untold.clear();
        } finally {
            progressEngine.unlock();
        }
        told.forEach(RelayEndpoint::endLater);
    }

    /** Asks again for all joint jobs, on a new connection. Nobody waits for the answers. */
    void joinAgain() throws IOException {
        if (isAgainDue && line.isOpen()) {
            isAgainDue = false;
            for (Joint each : joints.values()) {
                line.write(each.join.encode());
            }
            line.flush();
        }
    }

    // ---- the question

    /** Asks the relay, and waits for its answer. Called with the lock. */
    JobJoined ask(JobJoin join) throws IOException {
        while (asked != 0) {
            progressEngine.await(); // Another thread's request.
        }
        asked = join.joint();
        joining.add(asked);
        isSent = false;
        answer = null;
        ByteBuffer frame = join.encode();
        try {
            if (own.isLogged()) {
                determinantRecorder.awaitTold(); // The joint job follows from all that was observed.
            }
            while (answer == null) {
                if (isSent) {
                    progressEngine.await();
                } else {
                    send(frame);
                }
            }
            return answer;
        } finally {
            asked = 0;
        }
    }

    private void send(ByteBuffer frame) throws IOException {
        writeReadiness.await();
        line.write(frame.duplicate());
        isSent = true;
        line.flush();
    }

    void onJoined(ByteBuffer frame) throws WireException {
        JobJoined joined = JobJoined.decode(frame);
        if (joined.joint() == asked) {
            answer = joined;
        }
    }

    /** Another connection begins: the request is repeated there. */
    void reconnected() {
        isSent = false;
        isAgainDue = !joints.isEmpty();
    }
}

package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.mpj.channel.CollectiveThread;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.mpj.progress.RelayConnection;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.mpj.progress.WriteReadiness;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobJoin;
import org.posthouse.wire.JobJoined;
import org.posthouse.wire.Token;
import org.posthouse.wire.WireException;

/**
 * Joins the process to joint jobs, at the relay of its own job (docs/wire.md, joint jobs). Each joint job has an endpoint of its
 * own, over a connection of its own. From the first one on a thread reads each connection: the program may wait in a call of one
 * job for what only moves if messages of the other do. Guarded by the lock of the process's own endpoint.
 */
public final class JobJoiner {
    /** How the process reaches its relay. */
    record Reach(Platform machine, String relay, Credentials credentials, Settings settings) {}

    private final RelayEndpoint own;
    private final Reach reach;
    private final RelayConnection line;
    private final ProgressEngine progressEngine;
    private final WriteReadiness writeReadiness;
    private final long job;

    /** Whether a thread reads the connection of the process's own job. */
    private boolean reads;

    /** The joint job that is asked for; 0 if none is. */
    private long asked;

    /** Whether the request was sent on this connection. */
    private boolean isSent;

    private JobJoined answer;

    JobJoiner(RelayEndpoint own, Reach reach, RelayConnection line, ProgressEngine progressEngine, WriteReadiness writeReadiness, long job) {
        this.own = own;
        this.reach = reach;
        this.line = line;
        this.progressEngine = progressEngine;
        this.writeReadiness = writeReadiness;
        this.job = job;
    }

    /** The id of the process's own job. */
    public long job() {
        return job;
    }

    /** Whether the process's own job is logged. */
    public boolean isLogged() {
        return own.isLogged();
    }

    /** The home of a rank of the process's own job. */
    public HomeRelay home(int rank) {
        return own.home(rank);
    }

    /** The homes of ranks, each once, in the order of the ranks. */
    public static List<HomeRelay> distinct(List<HomeRelay> homes) {
        return homes.stream().distinct().toList();
    }

    /**
     * Takes part in a joint job, as the rank that asks there.
     *
     * @throws IOException if the relay refuses it, or cannot be reached once more; with the reason
     */
    public Endpoint join(JobJoin join) throws IOException {
        JobJoined joined = own.joined(join);
        if (!joined.refusal().isEmpty()) {
            throw new IOException("relay " + own.home(own.rank()).relay() + " refuses: " + joined.refusal());
        }
        Token token = JobJoined.seal(joined.sealed(), reach.credentials().token(), join.joint());
        Credentials credentials = new Credentials(token, reach.credentials().direct());
        Hello hello = Hello.firstStart(join.joint(), join.rank());
        try {
            RelayEndpoint joint = RelayEndpoint.connect(
                    reach.machine(), reach.relay(), credentials, hello, reach.settings(), new JointExit(own), false);
            read(joint);
            return joint;
        } catch (FinalizedException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void read(RelayEndpoint joint) {
        if (!reads) {
            reads = true;
            new CollectiveThread(own::keepReading, "posthouse-progress").start();
        }
        new CollectiveThread(joint::keepReading, "posthouse-progress-joint").start();
    }

    /** Asks the relay, and waits for its answer. Called with the lock. */
    JobJoined ask(JobJoin join) throws IOException {
        while (asked != 0) {
            progressEngine.await(); // Another thread's request.
        }
        asked = join.joint();
        isSent = false;
        answer = null;
        ByteBuffer frame = join.encode();
        try {
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
    }
}

package org.posthouse.launch.remote;

import java.io.InputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.folder.InputSink;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.StartedProcess;
import org.posthouse.wire.OutputPoint;

/** A process of a rank on a node, which the node's agent runs. Thread-safe. */
final class NodeProcess implements StartedProcess {
    /** What the agent is asked for. */
    interface Agent {
        void kill(NodeProcess process, boolean all);

        void taken(NodeProcess process, int stream, OutputPoint upTo);

        void input(NodeProcess process, long position, boolean end, byte[] bytes);
    }

    static final int OUT = 1;
    static final int ERR = 2;

    private final ProcessRequest request;
    private final Agent agent;

    /** Whether its output is taken when {@link #kept} says so, and not when it is read. */
    private final boolean isKept;

    private final ReceivedOutput out;
    private final ReceivedOutput err;
    private final SentInput in;
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Open once it is known where the streams begin. */
    private final CountDownLatch found;

    /** Written by the reading thread before {@link #found} opens, then by the job's; read by any. */
    private volatile OutputPoint outPoint = OutputPoint.BEGIN;

    /** Written and read as {@link #outPoint}. */
    private volatile OutputPoint errPoint = OutputPoint.BEGIN;

    /** Written by the thread that reads the relay's connection, read by any. */
    private volatile long pid;

    /** Whether the agent has reported its start. Written by the reading thread, read by any. */
    private volatile boolean started;

    /** Written by the thread that places it, read by any. */
    private volatile String where = "";

    /** The name of that node, with its site if that is not its rank's. Written by the thread that places it, read by any. */
    private volatile String node = "";

    /** Whether its end was asked for. Written by any thread, read by any. */
    private volatile boolean killed;

    /**
     * Its exit status, once {@link #ended} is open. Written by the thread that learns of the end, read by any that waits
     * for it.
     */
    private volatile int status;

    private NodeProcess(ProcessRequest request, Agent agent, boolean isNew, boolean isKept) {
        this.request = request;
        this.agent = agent;
        this.isKept = isKept;
        this.out = new ReceivedOutput(isKept ? null : position -> taken(OUT, new OutputPoint(position, 0, 0)));
        this.err = new ReceivedOutput(isKept ? null : position -> taken(ERR, new OutputPoint(position, 0, 0)));
        this.in = new SentInput(isNew, this::input);
        this.found = new CountDownLatch(isNew ? 0 : 1);
    }

    /**
     * A process that is to be started.
     *
     * @param isKept whether its output is taken when {@link #kept} says so, and not when it is read
     */
    static NodeProcess started(ProcessRequest request, Agent agent, boolean isKept) {
        return new NodeProcess(request, agent, true, isKept);
    }

    /** A process that another launcher has started, on a node that is sought. Its output is kept. */
    static NodeProcess sought(ProcessRequest request, Agent agent) {
        return new NodeProcess(request, agent, false, true);
    }

    /** It is placed on this node. @param isAtHome whether that is at the site of its rank's home, which people are shown */
    void on(Node next, boolean isAtHome) {
        where = " on " + next;
        node = isAtHome ? next.name() : next.name() + " of site " + next.site();
    }

    ProcessRequest request() {
        return request;
    }

    int rank() {
        return request.rank();
    }

    int incarnation() {
        return request.incarnation();
    }

    private void taken(int stream, OutputPoint upTo) {
        agent.taken(this, stream, upTo);
    }

    private void input(long position, boolean end, byte[] bytes) {
        agent.input(this, position, end, bytes);
    }

    // ---- what the agent reports

    /** An agent has the process, and will send its streams from these points on. */
    void found(OutputPoint outFrom, OutputPoint errFrom) {
        if (found.getCount() > 0) {
            out.begin(outFrom.position());
            err.begin(errFrom.position());
            outPoint = outFrom;
            errPoint = errFrom;
            started = true;
            found.countDown();
        }
    }

    void started(long pid) {
        this.pid = pid;
        started = true;
    }

    boolean isStarted() {
        return started;
    }

    /** @return whether no byte is missing before these */
    boolean output(int stream, long position, byte[] bytes) {
        return (stream == OUT ? out : err).add(position, bytes);
    }

    void inputTaken(long position) {
        in.taken(position);
    }

    /** Sends again what the agent may not have got on an earlier connection. */
    void resend() {
        in.resend();
        agent.taken(this, OUT, isKept ? outPoint : new OutputPoint(out.position(), 0, 0));
        agent.taken(this, ERR, isKept ? errPoint : new OutputPoint(err.position(), 0, 0));
        if (killed) {
            agent.kill(this, true);
        }
    }

    /** The process has ended, or counts as ended because its node is gone. */
    synchronized void exited(int status) {
        if (ended.getCount() > 0) {
            this.status = status;
            ended.countDown();
            found.countDown();
            out.end();
            err.end();
            in.end();
        }
    }

    // ---- StartedProcess

    @Override
    public InputStream output() {
        return out;
    }

    @Override
    public InputStream error() {
        return err;
    }

    @Override
    public InputSink input() {
        return in;
    }

    @Override
    public OutputPoint begins(boolean isErr) {
        try {
            found.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return isErr ? errPoint : outPoint;
    }

    @Override
    public void kept(boolean isErr, OutputPoint upTo) {
        if (isKept) {
            if (isErr) {
                errPoint = upTo;
            } else {
                outPoint = upTo;
            }
            taken(isErr ? ERR : OUT, upTo);
        }
    }

    @Override
    public long pid() {
        return pid;
    }

    @Override
    public String node() {
        return node;
    }

    @Override
    public String where() {
        return where;
    }

    @Override
    public boolean isAlive() {
        return ended.getCount() > 0;
    }

    @Override
    public int await() throws InterruptedException {
        ended.await();
        return status;
    }

    @Override
    public boolean awaitExit(long timeoutMs) throws InterruptedException {
        return ended.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /** Nothing is left to do: the agent does it before it reports the end. */
    @Override
    public void endStragglers() {}

    @Override
    public void kill() {
        if (isAlive()) {
            agent.kill(this, false);
        }
    }

    @Override
    public void killAll() {
        killed = true;
        if (isAlive()) {
            agent.kill(this, true);
        }
    }
}

package org.posthouse.launch.remote;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.StartedProcess;

/** A process of a rank on a node, which the node's agent runs. Thread-safe. */
final class NodeProcess implements StartedProcess {
    /** What the agent is asked for. */
    interface Agent {
        void kill(NodeProcess process, boolean all);

        void taken(NodeProcess process, int stream, long position);

        void input(NodeProcess process, long position, byte[] bytes);
    }

    static final int OUT = 1;
    static final int ERR = 2;

    private final ProcessRequest request;
    private final Agent agent;
    private final ReceivedOutput out = new ReceivedOutput(position -> taken(OUT, position));
    private final ReceivedOutput err = new ReceivedOutput(position -> taken(ERR, position));
    private final SentInput in = new SentInput(this::input);
    private final CountDownLatch ended = new CountDownLatch(1);

    /** Written by the thread that reads the relay's connection, read by any. */
    private volatile long pid;

    /** Whether the agent has reported its start. Written by the reading thread, read by any. */
    private volatile boolean started;

    /** Whether its end was asked for. Written by any thread, read by any. */
    private volatile boolean killed;

    /**
     * Its exit status, once {@link #ended} is open. Written by the thread that learns of the end, read by any that waits
     * for it.
     */
    private volatile int status;

    NodeProcess(ProcessRequest request, Agent agent) {
        this.request = request;
        this.agent = agent;
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

    private void taken(int stream, long position) {
        agent.taken(this, stream, position);
    }

    private void input(long position, byte[] bytes) {
        agent.input(this, position, bytes);
    }

    // ---- what the agent reports

    void started(long pid) {
        this.pid = pid;
        started = true;
    }

    boolean isStarted() {
        return started;
    }

    boolean isKilled() {
        return killed;
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
        agent.taken(this, OUT, out.position());
        agent.taken(this, ERR, err.position());
        if (killed) {
            agent.kill(this, true);
        }
    }

    /** The process has ended, or counts as ended because its node is gone. */
    synchronized void exited(int status) {
        if (ended.getCount() > 0) {
            this.status = status;
            ended.countDown();
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
    public OutputStream input() {
        return in;
    }

    @Override
    public long pid() {
        return pid;
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

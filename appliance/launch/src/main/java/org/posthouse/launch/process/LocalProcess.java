package org.posthouse.launch.process;

import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.folder.InputSink;
import org.posthouse.wire.OutputPoint;

/** A process of a rank on this host. It lives no longer than this JVM, which holds its standard input. */
final class LocalProcess implements StartedProcess {
    private final int rank;
    private final int incarnation;
    private final String job;
    private final String agent;
    private final Process process;

    /** @param agent the number of the agent that has started it; null if the launcher has */
    LocalProcess(int rank, int incarnation, String job, String agent, Process process) {
        this.rank = rank;
        this.incarnation = incarnation;
        this.job = job;
        this.agent = agent;
        this.process = process;
    }

    @Override
    public InputStream output() {
        return process.getInputStream();
    }

    @Override
    public InputStream error() {
        return process.getErrorStream();
    }

    @Override
    public InputSink input() {
        return new FramedInput(process.getOutputStream());
    }

    @Override
    public OutputPoint begins(boolean isErr) {
        return OutputPoint.BEGIN;
    }

    /** The pipe has forgotten it. */
    @Override
    public void kept(boolean isErr, OutputPoint upTo) {}

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public String node() {
        return "";
    }

    @Override
    public String where() {
        return "";
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public int await() throws InterruptedException {
        return process.waitFor();
    }

    @Override
    public boolean awaitExit(long timeoutMs) throws InterruptedException {
        return process.waitFor(timeoutMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void endStragglers() {
        LeftProcesses.end(job, rank, incarnation, agent);
    }

    /** By its handle: {@link Process#destroyForcibly} closes the streams, too, with what is in them. */
    @Override
    public void kill() {
        process.toHandle().destroyForcibly();
    }

    @Override
    public void killAll() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        kill();
    }
}

package org.posthouse.launch.agent;

import java.io.IOException;
import java.util.function.LongConsumer;
import org.posthouse.launch.output.StreamReader;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.StartedProcess;
import org.posthouse.launch.process.StoppedRanks;

/**
 * One process of a rank on this node: its output until the launcher has taken it, its input, and its exit status.
 * Confined to the agent's thread, except what {@link StoppedRanks} calls; its own threads report to {@link Listener}.
 */
final class AgentRank implements StoppedRanks.Watched {
    /** Called by threads of the process. */
    interface Listener {
        /** There is output that was not sent. */
        void onOutput();

        /** The process has its input up to this position; {@link Long#MAX_VALUE}: it reads no more. */
        void onInputTaken(long position);

        /** The process has ended, and all its output is in the windows. */
        void onExit(int status);
    }

    static final int OUT = 1;
    static final int ERR = 2;

    private final ProcessRequest request;
    private final StartedProcess process;
    private final OutputWindow out = new OutputWindow();
    private final OutputWindow err = new OutputWindow();

    /** Null if the rank reads no input. */
    private final InputFeeder input;

    /** Null until the process has ended. */
    private Integer status;

    /** Whether its exit was reported on the present connection to the launcher. */
    private boolean exitSent;

    private long inputTaken;

    /** @param endsStragglers whether another process may take its place, so that nothing that it started may be left */
    AgentRank(ProcessRequest request, StartedProcess process, boolean endsStragglers, Listener listener) {
        this.request = request;
        this.process = process;
        String name = "posthouse-rank-" + request.rank();
        StreamReader outReader = StreamReader.start(name + "-out", process.output(), sink(out, listener));
        StreamReader errReader = StreamReader.start(name + "-err", process.error(), sink(err, listener));
        LongConsumer taken = listener::onInputTaken;
        input = request.hasInput() ? new InputFeeder(name + "-in", process.input(), taken) : null;
        Thread.ofVirtual().name(name).start(() -> {
            try {
                int ended = process.await();
                if (endsStragglers && ended != 0) {
                    process.endStragglers();
                }
                outReader.await();
                errReader.await();
                listener.onExit(ended);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static StreamReader.Sink sink(OutputWindow window, Listener listener) {
        return new StreamReader.Sink() {
            @Override
            public void onBytes(byte[] buffer, int count, boolean isLast) throws InterruptedException {
                window.write(buffer, count, listener::onOutput);
            }

            @Override
            public void onEnd(IOException fault) {
                // A pipe of a process that was killed: its end is reported with its status.
            }
        };
    }

    @Override
    public int rank() {
        return request.rank();
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public boolean strike() {
        boolean alive = process.isAlive();
        process.kill();
        return alive;
    }

    OutputWindow window(int stream) {
        return stream == OUT ? out : err;
    }

    /** Null until the process has ended. */
    Integer status() {
        return status;
    }

    void exited(int status) {
        this.status = status;
        if (input != null) {
            input.close();
        }
    }

    /** Whether the exit can be reported, which is once: the process has ended, and all its output was sent. */
    boolean takeExit() {
        boolean isDue = status != null && !exitSent && out.isSent() && err.isSent();
        exitSent |= isDue;
        return isDue;
    }

    /** Adds input. @return whether there is no gap before it */
    boolean input(long position, boolean end, byte[] bytes) {
        return input == null || input.add(position, end, bytes);
    }

    void inputTaken(long position) {
        inputTaken = position;
    }

    /** Whether the process reads input. */
    boolean hasInput() {
        return input != null;
    }

    /** The position up to which the process has its input. */
    long inputTaken() {
        return inputTaken;
    }

    /** A new connection to the launcher: what was not taken is sent again. */
    void resend() {
        out.resend();
        err.resend();
        exitSent = false;
    }

    /** @param all whether also what it has started */
    void kill(boolean all) {
        if (all) {
            process.killAll();
        } else {
            process.kill();
        }
    }

    /** Nobody takes its output any more. */
    void abandon() {
        out.close();
        err.close();
    }
}

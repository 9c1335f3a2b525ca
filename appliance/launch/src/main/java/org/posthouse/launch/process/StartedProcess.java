package org.posthouse.launch.process;

import java.io.InputStream;
import org.posthouse.launch.folder.InputSink;
import org.posthouse.wire.OutputPoint;

/**
 * A process of a rank that was started, on this host or on a node. It ends when the other end of its standard input is
 * closed. Thread-safe.
 */
public interface StartedProcess {
    /** Its standard output. Ends with the process, or later if a child of the process holds it open. */
    InputStream output();

    /** Its standard error, as {@link #output}. */
    InputStream error();

    /** Its standard input. */
    InputSink input();

    /**
     * The point at which one of its streams begins here: behind what an earlier launcher has kept of it. Blocks until
     * that is known. Called once something was read of the stream, or it has ended.
     */
    OutputPoint begins(boolean isErr);

    /** One of its streams is kept up to this point; nothing before it is asked for again. */
    void kept(boolean isErr, OutputPoint upTo);

    /** The system's number of it, on the host where it runs. */
    long pid();

    /** Where it runs, as the end of a sentence: " on node n1 of site a"; empty: on this host. */
    String where();

    /** The name of the node that runs it, with its site if that is not its rank's home's; empty: it runs on this host, or on no node yet. */
    String node();

    /** Whether it has not ended yet, as far as is known here. */
    boolean isAlive();

    /** Waits for its end. @return its exit status; 128 + n after signal n */
    int await() throws InterruptedException;

    /** Waits for its end, at most for this time. @return whether it has ended */
    boolean awaitExit(long timeoutMs) throws InterruptedException;

    /** Kills the processes that it started and left behind when it ended, and waits until they are gone. */
    void endStragglers();

    /** Kills the process alone (kill -9), as an accident. */
    void kill();

    /** Kills the process and those that it has started. */
    void killAll();
}

package org.posthouse.launch.job;

import org.posthouse.launch.output.OutputMarks;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.OutputPoint;

/** An event that the threads around a running job send to the job's thread. */
public sealed interface JobSignal {
    /**
     * A rank's process has ended and all its output was passed on. If it followed and has ended well, its leader has printed as much, unless it was
     * dropped.
     *
     * @param process the number with which it was started
     * @param endedNs when it ended, on the clock of {@link System#nanoTime}
     * @param where where a process ran that followed, as the end of a sentence; else empty
     * @param words a line that a process printed that followed, and its leader did not; empty if there is none
     */
    record Exited(int rank, int process, int status, long endedNs, String where, String words) implements JobSignal {}

    /**
     * A relay reports an event of a rank.
     *
     * @param atNs arrival of the report, on the clock of {@link System#nanoTime}
     */
    record Event(JobEvent event, long atNs) implements JobSignal {}

    /** The output of a restarted rank differs from its earlier output. */
    record PrintsDiffer(int rank, String what) implements JobSignal {}

    /** The message that the library printed before it ended a rank's process. */
    record LastWords(int rank, String words) implements JobSignal {}

    /** Some output of a rank reached no launcher, and no process will print it again. */
    record OutputLost(int rank, String what) implements JobSignal {}

    /** A mark of this number stands at this place in the kept output of one stream of a rank. */
    record Placed(int rank, boolean isErr, long mark, OutputMarks.Place place) implements JobSignal {}

    /**
     * A stream of a rank's process is kept up to this point, and so are the {@link Placed} before it. Not said of jobs
     * without a folder.
     */
    record OutputKept(int rank, int incarnation, boolean isErr, OutputPoint upTo) implements JobSignal {}

    /** All output that a rank's process had printed to its two streams when it began to save is kept. */
    record Kept(int rank, int incarnation, long outBytes, long errBytes) implements JobSignal {}

    /** A rank's output cannot be kept any more, so the rank cannot be restarted. */
    record Unkept(int rank, String why) implements JobSignal {}

    /**
     * The connection to a relay broke, or cannot be made again.
     *
     * @param relay its index among the job's
     * @param isFinal whether it is of no use to dial it again
     */
    record RelayLost(int relay, String why, boolean isFinal) implements JobSignal {}

    /**
     * A lost relay has the job open again, and reports the state of every rank anew.
     *
     * @param id the relay's id
     */
    record RelayBack(int relay, String id) implements JobSignal {}

    /**
     * A lost relay answers, but does not have the job; it is asked again.
     *
     * @param relay its index among the job's
     */
    record JobUnknown(int relay, String why) implements JobSignal {}

    /**
     * A lost relay answers and cannot continue the job: its log lacks the job, or a part that the job needs.
     *
     * @param relay its index among the job's
     */
    record JobLost(int relay, String why) implements JobSignal {}

    /**
     * A relay does not answer, though its connection stands; said again and again.
     *
     * @param relay its index among the job's
     * @param who the relay, for people
     */
    record Unresponsive(int relay, String who, long seconds) implements JobSignal {}

    /** One that did not does again. */
    record Responsive(int relay, String who, long seconds) implements JobSignal {}

    /**
     * A lost relay has not read its log yet, or another relay or an unproven peer answers at its address. Dialling
     * continues.
     */
    record NotYet(String why) implements JobSignal {}

    /** A request to pause the job until another launcher resumes it. */
    record Leave(String why) implements JobSignal {}

    /** A request to end the job, for instance by Ctrl-C. */
    record Stop(int status, String why) implements JobSignal {}
}

package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A message between a launcher and an agent: the body of an AGENT_MESSAGE (docs/wire.md, Messages of agents). The job is
 * in the frame's header ({@link AgentEnvelope}). Each message may be sent again after a reconnect, and changes nothing
 * the second time.
 *
 * <p>The key is a secret of the job, drawn by its launcher. An agent obeys a launcher that shows it.
 */
public sealed interface AgentMessage {
    /** Most bytes of an encoded message. */
    int BYTES_MAX = Wire.PAYLOAD_BYTES_MAX;

    /** Stream number of a process's standard output. */
    int STDOUT = 1;

    /** Stream number of a process's standard error. */
    int STDERR = 2;

    /** Bytes of one output stream that an agent may have sent and that its launcher has not yet taken. */
    int OUTPUT_WINDOW_BYTES = 256 * 1024;

    /** Bytes of a rank's input that a launcher may have sent and that the agent has not yet taken. */
    int INPUT_WINDOW_BYTES = 64 * 1024;

    /** Longest time for which an unconfirmed reservation is held: one hour. */
    int TTL_MS_MAX = 3_600_000;

    /** Longest time for which an agent keeps a job without its launcher, in seconds. */
    int TIMEOUT_SECONDS_MAX = JobOpen.KEEP_SECONDS_MAX;

    /** The first byte of the encoded message. */
    Kind kind();

    /** The body of an AGENT_MESSAGE: at most {@link #BYTES_MAX} bytes. */
    ByteBuffer encode();

    /** Kinds of messages; codes are never reused. */
    enum Kind {
        RESERVE(1),
        RESERVED(2),
        CONFIRM(3),
        RELEASE(4),
        START(5),
        STARTED(6),
        SIGNAL(7),
        EXITED(8),
        OUTPUT(9),
        OUTPUT_TAKEN(10),
        INPUT(11),
        INPUT_TAKEN(12),
        ATTACH(13),
        ATTACHED(14),
        EXIT_SEEN(15),
        NOTE(16),
        JOB_WAITS(17),
        JOB_ENDED(18),
        DETECT(19);

        private static final Kind[] ALL = values();

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        public int code() {
            return code;
        }

        private static Kind of(int code) throws WireException {
            if (code < 1 || code > ALL.length) {
                throw new WireException(CloseReason.UNKNOWN_TYPE, "agent message of kind " + code + ", expected 1 to " + ALL.length);
            }
            return ALL[code - 1];
        }

        private FrameWriter writer(int bytes) {
            return new FrameWriter(name(), Byte.BYTES + bytes).u8(code);
        }
    }

    /**
     * Reads the remaining bytes of {@code body}, whose position stays. Byte contents are views of it.
     *
     * @throws WireException if the kind is unknown, or a field is missing or out of range
     */
    static AgentMessage decode(ByteBuffer body) throws WireException {
        Kind kind = Kind.of(new FrameReader("agent message", body).u8("kind"));
        FrameReader in = new FrameReader(kind.name(), body);
        in.u8("kind");
        AgentMessage message = switch (kind) {
            case RESERVE -> Reserve.read(in);
            case RESERVED -> Reserved.read(in);
            case CONFIRM -> Confirm.read(in);
            case RELEASE -> new Release(in.token("key"));
            case START -> Start.read(in);
            case STARTED -> Started.read(in);
            case SIGNAL -> Signal.read(in);
            case EXITED -> new Exited(rank(in), incarnation(in), in.i32("status"));
            case OUTPUT -> Output.read(in);
            case OUTPUT_TAKEN -> new OutputTaken(rank(in), incarnation(in), stream(in), OutputPoint.read(in));
            case INPUT -> Input.read(in);
            case INPUT_TAKEN -> new InputTaken(rank(in), incarnation(in), position(in));
            case ATTACH -> new Attach(in.token("key"));
            case ATTACHED -> Attached.read(in);
            case EXIT_SEEN -> new ExitSeen(rank(in), incarnation(in));
            case NOTE -> new Note(in.text("text"));
            case JOB_WAITS -> new JobWaits(in.text("name"), in.text("text"));
            case JOB_ENDED -> new JobEnded(in.text("name"), in.i32("status"), in.text("text"));
            case DETECT -> Detect.read(in);
        };
        in.end();
        return message;
    }

    private static int rank(FrameReader in) throws WireException {
        return in.i32("rank", 0, JobOpen.RANKS_MAX - 1);
    }

    private static int incarnation(FrameReader in) throws WireException {
        return in.i32("incarnation", 1, Integer.MAX_VALUE);
    }

    private static int stream(FrameReader in) throws WireException {
        int stream = in.u16("stream");
        if (stream != STDOUT && stream != STDERR) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "stream " + stream + ", expected 1 (output) or 2 (error)");
        }
        return stream;
    }

    private static long position(FrameReader in) throws WireException {
        return in.i64("position", 0, Long.MAX_VALUE);
    }

    private static <T> T one(T[] values, FrameReader in, String what) throws WireException {
        int code = in.u16(what);
        if (code >= values.length) {
            throw new WireException(CloseReason.MALFORMED_FRAME, what + " " + code + ", expected 0 to " + (values.length - 1));
        }
        return values[code];
    }

    /**
     * Launcher to agent: hold slots for the job.
     *
     * @param key of the job
     * @param want slots, at least 1
     * @param ttlMs for which they are held without a {@link Confirm}, 1 to {@link #TTL_MS_MAX}
     * @param user who runs the job
     * @param name by which agents join the job ({@link AgentOffer#JOB_LABEL}); empty if none do
     */
    record Reserve(Token key, int want, int ttlMs, String user, String name) implements AgentMessage {
        private static final int USER_BYTES_MAX = 255;

        /** Most bytes of a name by which agents join a job. */
        public static final int NAME_BYTES_MAX = 64;

        /** Of a job that no agents join. */
        public Reserve(Token key, int want, int ttlMs, String user) {
            this(key, want, ttlMs, user, "");
        }

        @Override
        public Kind kind() {
            return Kind.RESERVE;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(28 + USER_BYTES_MAX + NAME_BYTES_MAX)
                    .token(key)
                    .i32(want)
                    .i32(ttlMs)
                    .text(user, USER_BYTES_MAX)
                    .text(name, NAME_BYTES_MAX)
                    .finishPart();
        }

        private static Reserve read(FrameReader in) throws WireException {
            return new Reserve(in.token("key"), in.i32("slots", 1, JobOpen.RANKS_MAX), in.i32("ttl", 1, TTL_MS_MAX), in.text("user"), in.text("name"));
        }
    }

    /** Why an agent holds fewer slots than were asked for. */
    enum Refusal {
        NONE,
        FULL,
        NOT_ALLOWED,
        DRAINING
    }

    /**
     * Agent to launcher: the answer to {@link Reserve}.
     *
     * @param granted slots that the agent holds for the job, 0 or more
     * @param reason for fewer than were asked for
     * @param detail for people; may be empty
     */
    record Reserved(int granted, Refusal reason, String detail) implements AgentMessage {
        private static final Refusal[] REASONS = Refusal.values();

        @Override
        public Kind kind() {
            return Kind.RESERVED;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(8 + Note.TEXT_BYTES_MAX).i32(granted).u16(reason.ordinal()).text(detail, Note.TEXT_BYTES_MAX).finishPart();
        }

        private static Reserved read(FrameReader in) throws WireException {
            return new Reserved(in.i32("slots", 0, AgentOffer.SLOTS_MAX), one(REASONS, in, "reason"), in.text("detail"));
        }
    }

    /**
     * Launcher to agent: from now on the slots are the job's. The agent frees those beyond this number.
     *
     * @param key of the job
     * @param slots that the job keeps
     * @param launcherTimeoutS seconds for which the agent keeps the job without its launcher
     */
    record Confirm(Token key, int slots, int launcherTimeoutS) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.CONFIRM;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(24).token(key).i32(slots).i32(launcherTimeoutS).finishPart();
        }

        private static Confirm read(FrameReader in) throws WireException {
            return new Confirm(
                    in.token("key"), in.i32("slots", 0, AgentOffer.SLOTS_MAX), in.i32("launcher's timeout", 0, TIMEOUT_SECONDS_MAX));
        }
    }

    /**
     * Launcher to agent: free all slots of the job, and kill what runs on them.
     *
     * @param key of the job
     */
    record Release(Token key) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.RELEASE;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(16).token(key).finishPart();
        }
    }

    /**
     * Launcher to agent: a part of a {@link StartSpec}. The agent starts the process when it has all of them.
     *
     * @param key of the job
     * @param rank world rank
     * @param incarnation number of this start of the rank, from 1
     * @param part its index, from 0
     * @param more whether parts follow
     * @param bytes of the encoded specification, at least one
     */
    record Start(Token key, int rank, int incarnation, int part, boolean more, ByteBuffer bytes) implements AgentMessage {
        private static final int HEADER_BYTES = 30;

        /** Most bytes of a specification in one message. */
        public static final int BYTES_MAX = AgentMessage.BYTES_MAX - Byte.BYTES - HEADER_BYTES;

        private static final int PARTS_MAX = StartSpec.BYTES_MAX;

        @Override
        public Kind kind() {
            return Kind.START;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(HEADER_BYTES + bytes.remaining())
                    .token(key)
                    .i32(rank)
                    .i32(incarnation)
                    .i32(part)
                    .flag(more)
                    .bytes(bytes)
                    .finishPart();
        }

        private static Start read(FrameReader in) throws WireException {
            return new Start(
                    in.token("key"),
                    AgentMessage.rank(in),
                    AgentMessage.incarnation(in),
                    in.i32("part", 0, PARTS_MAX),
                    in.flag("more"),
                    in.rest(1, "specification"));
        }
    }

    /**
     * Agent to launcher: the process runs, or could not be started.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param pid of the process on its host, or 0
     * @param error why it could not be started; empty if it was
     */
    record Started(int rank, int incarnation, long pid, String error) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.STARTED;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(18 + Note.TEXT_BYTES_MAX).i32(rank).i32(incarnation).i64(pid).text(error, Note.TEXT_BYTES_MAX).finishPart();
        }

        private static Started read(FrameReader in) throws WireException {
            return new Started(
                    AgentMessage.rank(in), AgentMessage.incarnation(in), in.i64("pid", 0, Long.MAX_VALUE), in.text("error"));
        }
    }

    /** What {@link Signal} kills: the process, or also all that it has started. */
    enum Target {
        KILL,
        KILL_TREE
    }

    /**
     * Launcher to agent: kill a process.
     *
     * @param key of the job
     * @param rank world rank
     * @param incarnation number of the start
     * @param target what to kill
     */
    record Signal(Token key, int rank, int incarnation, Target target) implements AgentMessage {
        private static final Target[] TARGETS = Target.values();

        @Override
        public Kind kind() {
            return Kind.SIGNAL;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(26).token(key).i32(rank).i32(incarnation).u16(target.ordinal()).finishPart();
        }

        private static Signal read(FrameReader in) throws WireException {
            return new Signal(in.token("key"), AgentMessage.rank(in), AgentMessage.incarnation(in), one(TARGETS, in, "target"));
        }
    }

    /**
     * Agent to launcher: the process has ended, and all of its output was sent before.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param status exit status, as of a shell: 128 + n if signal n killed it
     */
    record Exited(int rank, int incarnation, int status) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.EXITED;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(12).i32(rank).i32(incarnation).i32(status).finishPart();
        }
    }

    /**
     * Agent to launcher: bytes that the process has written.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param stream {@link #STDOUT} or {@link #STDERR}
     * @param position of the first byte in the stream
     * @param bytes at least one
     */
    record Output(int rank, int incarnation, int stream, long position, ByteBuffer bytes) implements AgentMessage {
        private static final int HEADER_BYTES = 18;

        /** Most bytes of a stream in one message. */
        public static final int BYTES_MAX = AgentMessage.BYTES_MAX - Byte.BYTES - HEADER_BYTES;

        @Override
        public Kind kind() {
            return Kind.OUTPUT;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(HEADER_BYTES + bytes.remaining())
                    .i32(rank)
                    .i32(incarnation)
                    .u16(stream)
                    .i64(position)
                    .bytes(bytes)
                    .finishPart();
        }

        private static Output read(FrameReader in) throws WireException {
            return new Output(
                    AgentMessage.rank(in),
                    AgentMessage.incarnation(in),
                    AgentMessage.stream(in),
                    AgentMessage.position(in),
                    in.rest(1, "output"));
        }
    }

    /**
     * Launcher to agent: the output up to a position is safe, and the agent may drop it. At most {@link
     * #OUTPUT_WINDOW_BYTES} of a stream are sent and not taken.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param stream {@link #STDOUT} or {@link #STDERR}
     * @param upTo the point before which all is taken
     */
    record OutputTaken(int rank, int incarnation, int stream, OutputPoint upTo) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.OUTPUT_TAKEN;
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = kind().writer(10 + OutputPoint.BYTES).i32(rank).i32(incarnation).u16(stream);
            upTo.write(out);
            return out.finishPart();
        }
    }

    /**
     * Launcher to agent: bytes for the process's standard input.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param position of the first byte in the input
     * @param end whether no input follows these bytes
     * @param bytes may be none at the end
     */
    record Input(int rank, int incarnation, long position, boolean end, ByteBuffer bytes) implements AgentMessage {
        private static final int HEADER_BYTES = 18;

        /** Most bytes of input in one message. */
        public static final int BYTES_MAX = AgentMessage.BYTES_MAX - Byte.BYTES - HEADER_BYTES;

        @Override
        public Kind kind() {
            return Kind.INPUT;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(HEADER_BYTES + bytes.remaining())
                    .i32(rank)
                    .i32(incarnation)
                    .i64(position)
                    .flag(end)
                    .bytes(bytes)
                    .finishPart();
        }

        private static Input read(FrameReader in) throws WireException {
            int rank = AgentMessage.rank(in);
            int incarnation = AgentMessage.incarnation(in);
            long position = AgentMessage.position(in);
            boolean end = in.flag("end");
            return new Input(rank, incarnation, position, end, in.rest(end ? 0 : 1, "input"));
        }
    }

    /**
     * Agent to launcher: the process's pipe has taken the input up to a position. At most {@link #INPUT_WINDOW_BYTES}
     * are sent and not taken.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param position up to which bytes are taken, exclusive
     */
    record InputTaken(int rank, int incarnation, long position) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.INPUT_TAKEN;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(16).i32(rank).i32(incarnation).i64(position).finishPart();
        }
    }

    /**
     * Launcher to agent: this connection speaks for the job from now on. The agent answers {@link Attached}, and sends
     * output again from what was taken.
     *
     * @param key of the job
     */
    record Attach(Token key) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.ATTACH;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(16).token(key).finishPart();
        }
    }

    /** State of a process at its agent. */
    enum ProcessState {
        STARTING,
        RUNNING,
        ENDED
    }

    /**
     * One process of a job at an agent.
     *
     * @param rank world rank
     * @param incarnation number of the start
     * @param state of the process
     * @param status exit status of an ended process, else 0
     * @param out the last point of its output that a launcher has taken
     * @param err that of its error stream
     */
    record AttachedProcess(int rank, int incarnation, ProcessState state, int status, OutputPoint out, OutputPoint err) {
        private static final ProcessState[] STATES = ProcessState.values();
        private static final int BYTES = 14 + 2 * OutputPoint.BYTES;

        private void write(FrameWriter to) {
            to.i32(rank).i32(incarnation).u16(state.ordinal()).i32(status);
            out.write(to);
            err.write(to);
        }

        private static AttachedProcess read(FrameReader in) throws WireException {
            return new AttachedProcess(
                    AgentMessage.rank(in),
                    AgentMessage.incarnation(in),
                    one(STATES, in, "state"),
                    in.i32("status"),
                    OutputPoint.read(in),
                    OutputPoint.read(in));
        }
    }

    /**
     * Agent to launcher: the answer to {@link Attach}, or a part of it.
     *
     * @param slots that the agent holds for the job; 0 if it does not have the job, or the key is another
     * @param more whether another part follows
     * @param processes of the job that the agent has not forgotten; at most {@link #PROCESSES_MAX}
     */
    record Attached(int slots, boolean more, List<AttachedProcess> processes) implements AgentMessage {
        /** Most processes in one message. */
        public static final int PROCESSES_MAX = (BYTES_MAX - Byte.BYTES - 2 * Integer.BYTES - Short.BYTES) / AttachedProcess.BYTES;

        public Attached {
            processes = List.copyOf(processes);
        }

        @Override
        public Kind kind() {
            return Kind.ATTACHED;
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = kind().writer(2 * Integer.BYTES + Short.BYTES + processes.size() * AttachedProcess.BYTES)
                    .i32(slots)
                    .flag(more)
                    .i32(processes.size());
            processes.forEach(process -> process.write(out));
            return out.finishPart();
        }

        private static Attached read(FrameReader in) throws WireException {
            int slots = in.i32("slots", 0, AgentOffer.SLOTS_MAX);
            boolean more = in.flag("more");
            int count = in.count(AttachedProcess.BYTES, "processes");
            List<AttachedProcess> processes = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                processes.add(AttachedProcess.read(in));
            }
            return new Attached(slots, more, processes);
        }
    }

    /**
     * Launcher to agent: the launcher knows that the process has ended, and the agent forgets it.
     *
     * @param rank world rank
     * @param incarnation number of the start
     */
    record ExitSeen(int rank, int incarnation) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.EXIT_SEEN;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(8).i32(rank).i32(incarnation).finishPart();
        }
    }

    /**
     * Agent to launcher: a line for people.
     *
     * @param text the line
     */
    record Note(String text) implements AgentMessage {
        private static final int TEXT_BYTES_MAX = 4096;

        @Override
        public Kind kind() {
            return Kind.NOTE;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(Short.BYTES + TEXT_BYTES_MAX).text(text, TEXT_BYTES_MAX).finishPart();
        }
    }

    /**
     * Launcher to agent: the job that the agent has joined waits for its other parts.
     *
     * @param name of the job
     * @param text which parts are there, for people
     */
    record JobWaits(String name, String text) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.JOB_WAITS;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(2 * Short.BYTES + Reserve.NAME_BYTES_MAX + Note.TEXT_BYTES_MAX)
                    .text(name, Reserve.NAME_BYTES_MAX)
                    .text(text, Note.TEXT_BYTES_MAX)
                    .finishPart();
        }
    }

    /**
     * Launcher to agent: the job that the agent has joined is over, or will not begin.
     *
     * @param name of the job
     * @param status of the job, as its launcher ends with
     * @param text why it has ended, for people; empty if it ended well
     */
    record JobEnded(String name, int status, String text) implements AgentMessage {
        @Override
        public Kind kind() {
            return Kind.JOB_ENDED;
        }

        @Override
        public ByteBuffer encode() {
            return kind().writer(2 * Short.BYTES + Integer.BYTES + Reserve.NAME_BYTES_MAX + Note.TEXT_BYTES_MAX)
                    .text(name, Reserve.NAME_BYTES_MAX)
                    .i32(status)
                    .text(text, Note.TEXT_BYTES_MAX)
                    .finishPart();
        }
    }

    /**
     * Launcher to agent: which hosts of the job watch each other from a round on. The hosts' numbers are their places in
     * the list, which only grows.
     *
     * @param protocol word of the detector's protocol
     * @param periodMs length of a round
     * @param elapsedMs since round 0 began, when this was sent
     * @param fromRound from which on this holds
     * @param self the receiving agent's place
     * @param hosts all hosts that the job had
     */
    record Detect(String protocol, int periodMs, long elapsedMs, long fromRound, int self, List<DetectedHost> hosts) implements AgentMessage {
        /** Shortest and longest round. */
        public static final int PERIOD_MS_MIN = 50;

        public static final int PERIOD_MS_MAX = 60_000;

        private static final int WORD_BYTES_MAX = 16;

        public Detect {
            hosts = List.copyOf(hosts);
        }

        @Override
        public Kind kind() {
            return Kind.DETECT;
        }

        @Override
        public ByteBuffer encode() {
            FrameWriter out = kind().writer(3 * Short.BYTES + WORD_BYTES_MAX + Integer.BYTES + 2 * Long.BYTES + hosts.size() * DetectedHost.BYTES)
                    .text(protocol, WORD_BYTES_MAX)
                    .i32(periodMs)
                    .i64(elapsedMs)
                    .i64(fromRound)
                    .u16(self)
                    .u16(hosts.size());
            hosts.forEach(host -> out.i64(host.agent()).u16(host.home()).flag(host.isLiving()));
            return out.finishPart();
        }

        private static Detect read(FrameReader in) throws WireException {
            String protocol = in.text("protocol");
            int periodMs = in.i32("period", PERIOD_MS_MIN, PERIOD_MS_MAX);
            long elapsedMs = in.i64("elapsed time", 0, Long.MAX_VALUE);
            long fromRound = in.i64("round", 0, Long.MAX_VALUE);
            int self = in.u16("place");
            int count = in.u16("hosts");
            in.expect(count, DetectedHost.BYTES, "hosts");
            if (count > DetectorMessage.HOSTS_MAX || self >= count) {
                throw new WireException(
                        CloseReason.MALFORMED_FRAME,
                        "DETECT with " + count + " hosts and place " + self + ", expected at most " + DetectorMessage.HOSTS_MAX + ", and a place among them");
            }
            List<DetectedHost> hosts = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                hosts.add(new DetectedHost(in.i64("agent"), in.u16("home"), in.flag("living")));
            }
            return new Detect(protocol, periodMs, elapsedMs, fromRound, self, hosts);
        }
    }

    /**
     * A host of a job with a failure detector.
     *
     * @param agent number of its agent
     * @param home index of its relay in the job's homes
     * @param isLiving whether it is in the ring
     */
    record DetectedHost(long agent, int home, boolean isLiving) {
        private static final int BYTES = Long.BYTES + 2 * Short.BYTES;
    }
}

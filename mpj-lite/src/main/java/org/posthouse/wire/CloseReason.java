package org.posthouse.wire;

/**
 * The reasons for a closed connection or a refused request. This one table of error codes feeds CLOSE frames, logs,
 * metrics and docs/wire.md, which is tested against it.
 */
public enum CloseReason {
    NORMAL(0, "the peer is done", "nothing to do"),
    MALFORMED_FRAME(1, "a frame broke the wire format", "check that both ends run the same Posthouse version"),
    UNKNOWN_TYPE(2, "a frame type that this version does not know", "upgrade the older end"),
    FRAME_TOO_LONG(3, "a frame longer than the limit", "check that the peer speaks Posthouse at all"),
    WRONG_VERSION(4, "another protocol version", "upgrade the older end"),
    NOT_EXPECTED(5, "a frame that this peer may not send now", "report it: one end has a fault"),
    UNKNOWN_JOB(6, "no such job at this relay", "start the job with posthouse run; it may have ended"),
    WRONG_TOKEN(7, "the token does not open this job or relay", "pass the token that the launcher or relay was given"),
    WRONG_RANK(8, "a rank outside the job, or homed elsewhere", "check POSTHOUSE_RANK and the relay's address"),
    FENCED(9, "a newer incarnation of this rank is alive", "let this process end: it was replaced"),
    CANNOT_RESUME(10, "the counters do not fit what the relay knows", "restart the job"),
    SEQUENCE_GAP(11, "a message is missing in a channel", "report it: an end lost a frame"),
    CREDIT_EXCEEDED(12, "more bytes or messages than were granted", "report it: the sender ignores credit"),
    JOB_ABORTED(13, "the job was ended", "see the job's first error"),
    TIMEOUT(14, "the peer was silent for too long", "check the network and the peer's load"),
    RELAY_STOPPING(15, "the relay is shutting down", "start it again"),
    WRONG_SITE(16, "a site or relay other than the certificate's or the expected one", "issue a certificate for this site"),
    SITE_UNREACHABLE(17, "no link to the destination's relay", "look at the links on the console and at the relay's log"),
    LOG_FULL(18, "the message log has no room", "free disk space for the relay's data folder"),
    INTERNAL(19, "a fault in this program", "report it with the relay's log"),
    DUPLICATE_JOB(20, "a job with this id exists", "start the job again: a new id is drawn"),
    LIMIT(21, "a named limit was reached", "stay below it: only an option that the message names raises it"),
    NO_LOG(22, "this relay keeps no log", "start the relay with --data, or run the job with --durability none"),
    MOVED(23, "the rank is asked to connect again", "nothing to do: it goes on over a new connection"),
    LOG_DAMAGED(24, "a record of the message log cannot be read back", "check the disk; restore the relay's data folder from a copy"),
    REVOKED(25, "the certificate was revoked", "issue a new one with posthouse keys renew"),
    NAME_TAKEN(26, "an older relay of this name is linked and answers", "stop one of the two, or give one another name"),
    LOG_BROKEN(27, "the message log takes nothing any more", "do what it says of the log, or mend its disk, and start the relay again"),
    RELAY_STARTING(28, "the relay has not read its log yet", "wait until it serves, however long that takes"),
    TLS_REQUIRED(29, "plain frames from another host, at a relay with the grid's keys",
            "use a client that dials again with TLS, or start the relay with --unsafe-plain-ranks"),
    DIVERGED(30, "a follower would have sent something else than its leader",
            "run the program without -r, or look for what it does that depends on neither its messages nor its arguments"),
    LAGGED(31, "a follower is too far behind its leader", "give each process a processor of its own; another follower may be started");

    private static final CloseReason[] BY_CODE = values();

    private final int code;
    private final String meaning;
    private final String advice;

    CloseReason(int code, String meaning, String advice) {
        this.code = code;
        this.meaning = meaning;
        this.advice = advice;
    }

    public int code() {
        return code;
    }

    /** The cause of the close, as half a sentence. */
    public String meaning() {
        return meaning;
    }

    /** The remedy for an operator or user. */
    public String advice() {
        return advice;
    }

    /** The reason with this code; a code from a newer version reads as {@link #INTERNAL}. */
    public static CloseReason of(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : INTERNAL;
    }
}

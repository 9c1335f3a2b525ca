package org.posthouse.ops;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.util.List;
import org.posthouse.status.PairTraffic;
import org.posthouse.status.RankWait;
import org.posthouse.status.RelayEvent;
import org.posthouse.status.RelayStatus;

/**
 * What relays tell each other, as JSON: the records as they are. A field that the reader's version does not know is
 * skipped, so a newer relay may tell more. Stateless and thread-safe.
 */
final class PeerJson {
    private static final ObjectMapper MAPPER = new ObjectMapper()
            .registerModule(new Jdk8Module())
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    /**
     * The answer to the question for a relay's status.
     *
     * @param events those after the one that was asked for, oldest first
     */
    record Status(RelayStatus relay, Readiness readiness, List<RelayEvent> events) {
        Status {
            events = events == null ? List.of() : List.copyOf(events);
        }
    }

    /** The answer to the question for a job's traffic. */
    record Pairs(List<PairTraffic> pairs) {}

    /** The answer to the question for a job's waits. */
    record Waits(List<RankWait> waits) {}

    private PeerJson() {}

    static byte[] write(Object answer) {
        try {
            return MAPPER.writeValueAsBytes(answer);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    /** @throws IOException if the bytes are no such record, as of a relay of another version */
    static <T> T read(byte[] answer, Class<T> kind) throws IOException {
        T read = MAPPER.readValue(answer, kind);
        if (read == null) {
            throw new IOException("the answer is empty");
        }
        return read;
    }
}

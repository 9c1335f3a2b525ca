package org.posthouse.directory;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one posting over the stored one, by the rule of {@link Posting#over}, in one atomic step at the owner of the
 * key.
 *
 * <p>It runs on the partition's thread of the owner and of each backup. It returns the text that is stored afterwards,
 * or null if none is. In a group with keys, neither the new nor the stored posting counts unless its relay has signed
 * it. The returned text may then be one that does not count.
 */
final class PostProcessor implements EntryProcessor<String, String, String>, IdentifiedDataSerializable {
    private static final Logger LOG = LoggerFactory.getLogger(PostProcessor.class);
    private static final long serialVersionUID = 1;

    /** The proof of the member on which this runs; it is not sent. */
    private final transient PostingProof proof;

    private String text;

    /** For {@link GroupTypes}, which reads a posting of another member. */
    PostProcessor(PostingProof proof) {
        this.proof = proof;
    }

    /** For a posting of this member; it also runs here if the key is stored here. */
    PostProcessor(Posting posting, PostingProof proof) {
        this(proof);
        text = posting.text();
    }

    @Override
    public String process(Map.Entry<String, String> entry) {
        String storedText = entry.getValue();
        Posting stored = read(entry.getKey(), storedText);
        Posting come = Posting.parse(text);
        Optional<String> refusal = proof.refusal(come);
        if (refusal.isPresent() || !come.key().equals(entry.getKey())) {
            LOG.debug("directory: not written: {}", refusal.orElse(come.key()));
            return storedText;
        }
        Optional<Posting> next = come.over(stored);
        if (next.isEmpty() || next.get().equals(stored)) {
            return storedText;
        }
        String nextText = next.get().text();
        entry.setValue(nextText);
        return nextText;
    }

    /** Returns null for a posting without valid proof, which the other then replaces. */
    private Posting read(String key, String text) {
        try {
            return Optional.ofNullable(text).map(Posting::parse).filter(stored -> proof.refusal(stored).isEmpty()).orElse(null);
        } catch (IllegalArgumentException e) {
            LOG.error("directory: what is stored at {} is replaced", key, e);
            return null;
        }
    }

    @Override
    public int getFactoryId() {
        return GroupTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return GroupTypes.POST;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeString(text);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        text = in.readString();
    }
}

package org.posthouse.directory;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.merge.MergingValue;
import com.hazelcast.spi.merge.SplitBrainMergePolicy;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, for each key, which posting stays when two parts of a split group merge: the highest epoch or incarnation
 * wins. Next, a living relay wins over one that the other part called vanished. Next, the later write wins. See
 * {@link Posting#merge}.
 *
 * <p>Hazelcast creates it by its name and sends it between members. A text that is not a posting loses.
 */
final class NewestWinsMergePolicy
        implements SplitBrainMergePolicy<String, MergingValue<String>, String>, IdentifiedDataSerializable {
    private static final Logger LOG = LoggerFactory.getLogger(NewestWinsMergePolicy.class);

    private final transient PostingProof proof;

    /**
     * For Hazelcast, which creates an instance by name and sends it; the receiver's {@link GroupTypes} makes one with
     * the receiver's proof. Results that this instance merges with its own member's part are checked by the views.
     */
    NewestWinsMergePolicy() {
        this(PostingProof.NONE);
    }

    NewestWinsMergePolicy(PostingProof proof) {
        this.proof = proof;
    }

    @Override
    public String merge(MergingValue<String> merging, MergingValue<String> existing) {
        return merge(merging.getValue(), existing == null ? null : existing.getValue());
    }

    /** A posting without valid proof loses against one with it, and against none. */
    String merge(String merging, String existing) {
        Posting incoming;
        try {
            incoming = Posting.parse(merging);
            Optional<String> refusal = proof.refusal(incoming);
            if (refusal.isPresent()) {
                LOG.debug("directory: not merged: {}", refusal.get());
                return existing;
            }
            if (existing == null) {
                return merging;
            }
        } catch (IllegalArgumentException e) {
            LOG.error("directory: merge keeps what is here", e);
            return existing;
        }
        try {
            Posting held = Posting.parse(existing);
            return proof.refusal(held).isPresent() ? merging : incoming.merge(held).text();
        } catch (IllegalArgumentException e) {
            LOG.error("directory: merge takes what comes", e);
            return merging;
        }
    }

    @Override
    public int getFactoryId() {
        return GroupTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return GroupTypes.NEWEST_MERGE;
    }

    @Override
    public void writeData(ObjectDataOutput out) {}

    @Override
    public void readData(ObjectDataInput in) {}
}

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
 * Decides, key by key, what stays when two parts of a group that was split become one: the highest epoch or
 * incarnation, then a relay that lives over one that the other part missed, then the later write. See {@link
 * Posting#merge}.
 *
 * <p>Made by Hazelcast from its name and sent between members. A text that is no posting loses.
 */
final class NewestMerge
        implements SplitBrainMergePolicy<String, MergingValue<String>, String>, IdentifiedDataSerializable {
    private static final Logger LOG = LoggerFactory.getLogger(NewestMerge.class);

    private final transient PostingProof proof;

    /** For Hazelcast, which makes one from the name to send it: there it becomes one by {@link GroupTypes}. What it merges with this member's own part the views check. */
    NewestMerge() {
        this(PostingProof.NONE);
    }

    NewestMerge(PostingProof proof) {
        this.proof = proof;
    }

    @Override
    public String merge(MergingValue<String> merging, MergingValue<String> existing) {
        return merge(merging.getValue(), existing == null ? null : existing.getValue());
    }

    /** What is not proven loses against what is, and against nothing. */
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

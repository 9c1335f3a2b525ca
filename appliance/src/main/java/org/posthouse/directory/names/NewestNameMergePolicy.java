package org.posthouse.directory.names;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.IdentifiedDataSerializable;
import com.hazelcast.spi.merge.MergingValue;
import com.hazelcast.spi.merge.SplitBrainMergePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides, for each name, which record stays when two parts of a split group merge.
 *
 * <p>The later term wins: the part that had the majority has changed its member list since the split, while the other part has written nothing but what it
 * could not confirm. Between equal terms the higher epoch wins, then the higher version, then the one
 * that was unbound, then the text, so both parts come to the same. The record that stays
 * gets a version above both, so listeners of either part take it. What only the merging part has stays: a name that was unbound since is still remembered
 * as such ({@link UnboundNames}).
 *
 * <p>Hazelcast creates it by its name and sends it between members. A text that is no record loses.
 */
public final class NewestNameMergePolicy implements SplitBrainMergePolicy<String, MergingValue<String>, String>, IdentifiedDataSerializable {
    private static final Logger LOG = LoggerFactory.getLogger(NewestNameMergePolicy.class);

    /** For Hazelcast. */
    public NewestNameMergePolicy() {}

    @Override
    public String merge(MergingValue<String> merging, MergingValue<String> existing) {
        return merge(merging.getValue(), existing == null ? null : existing.getValue());
    }

    static String merge(String merging, String existing) {
        StoredName come = read(merging);
        StoredName held = read(existing);
        if (come == null || held == null) {
            return come == null ? existing : merging;
        }
        if (come.equals(held)) {
            return existing;
        }
        StoredName winner = outranks(come, held) ? come : held;
        StoredName loser = winner == come ? held : come;
        boolean same = winner.bound() == loser.bound() && winner.record().equals(loser.record());
        return winner.version() > loser.version() || same && winner.version() == loser.version() ? winner.text() : winner.at(loser.version() + 1).text();
    }

    private static boolean outranks(StoredName come, StoredName held) {
        if (come.term() != held.term()) {
            return come.term() > held.term();
        }
        if (come.epoch() != held.epoch()) {
            return come.epoch() > held.epoch();
        }
        if (come.version() != held.version()) {
            return come.version() > held.version();
        }
        return come.bound() != held.bound() ? held.bound() : come.text().compareTo(held.text()) > 0;
    }

    private static StoredName read(String text) {
        try {
            return text == null ? null : StoredName.parse(text);
        } catch (IllegalArgumentException e) {
            LOG.error("names: a merge skips what is no record", e);
            return null;
        }
    }

    @Override
    public int getFactoryId() {
        return NamesTypes.FACTORY;
    }

    @Override
    public int getClassId() {
        return NamesTypes.MERGE;
    }

    @Override
    public void writeData(ObjectDataOutput out) {}

    @Override
    public void readData(ObjectDataInput in) {}
}

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
 * Puts one posting over the stored one where that is kept, by the rule of {@link Posting#over}, in one atomic step.
 *
 * <p>Runs on the partition's thread of the owner and of each backup. Answers the text that is stored afterwards, or
 * null if none is.
 */
final class Post implements EntryProcessor<String, String, String>, IdentifiedDataSerializable {
    private static final Logger LOG = LoggerFactory.getLogger(Post.class);
    private static final long serialVersionUID = 1;

    private String text;

    /** For {@link GroupTypes}. */
    Post() {}

    Post(Posting posting) {
        text = posting.text();
    }

    @Override
    public String process(Map.Entry<String, String> entry) {
        String storedText = entry.getValue();
        Posting stored = read(entry.getKey(), storedText);
        Optional<Posting> next = Posting.parse(text).over(stored);
        if (next.isEmpty() || next.get().equals(stored)) {
            return storedText;
        }
        String nextText = next.get().text();
        entry.setValue(nextText);
        return nextText;
    }

    private static Posting read(String key, String text) {
        try {
            return text == null ? null : Posting.parse(text);
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

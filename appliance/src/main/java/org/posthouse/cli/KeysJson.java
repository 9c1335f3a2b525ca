package org.posthouse.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import org.posthouse.tunnel.SiteCertificate;

/** The certificates that {@code posthouse keys show --json} prints. */
final class KeysJson {
    private KeysJson() {}

    static String of(List<SiteCertificate> certificates) {
        ArrayNode list = new ObjectMapper().createArrayNode();
        for (SiteCertificate certificate : certificates) {
            list.addObject()
                    .put("site", certificate.site())
                    .put("serial", certificate.serial())
                    .put("notBefore", certificate.notBefore().toString())
                    .put("notAfter", certificate.notAfter().toString());
        }
        return list.toString();
    }
}
